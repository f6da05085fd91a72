// What a source reads through, on one I/O thread.
#pragma once

#include <flowtrain/context.h>

#include <functional>
#include <optional>
#include <utility>

#include "pipeline/storage/reads.h"

namespace flowtrain::graph {

class StorageContext final : public ReadContext {
 public:
  StorageContext(const std::optional<storage::Cached>& cached, Counter& bytes, std::function<bool()> stopping)
      : stopping_(std::move(stopping)), reads_(cached, bytes, stopping_) {}
  Buffer ReadFile(const std::filesystem::path& path) override { return reads_.File(path); }
  Buffer ReadPart(const FilePart& part) override { return reads_.Part(part); }
  bool stopping() const override { return stopping_(); }

 private:
  const std::function<bool()> stopping_;
  const storage::Reads reads_;
};

}  // namespace flowtrain::graph
