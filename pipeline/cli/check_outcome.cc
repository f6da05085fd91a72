#include "pipeline/cli/check_outcome.h"

#include <algorithm>
#include <new>
#include <system_error>

#include "pipeline/graph/start_thread.h"
#include "pipeline/plugin/process_limits.h"

namespace flowtrain::cli {
namespace {

Outcome::Part ImagePart(const std::string& name, const Image& image) {
  Outcome::Part part;
  part.name = name;
  part.form = "image " + std::to_string(image.height) + " x " + std::to_string(image.width) +
              " x " + std::to_string(image.channels) + " of " + std::to_string(image.depth) +
              " bits";
  part.row_bytes = image.row_bytes();
  for (int y = 0; y < image.height; ++y)
    part.bytes.append(reinterpret_cast<const char*>(image.row(y)), image.row_bytes());
  return part;
}

void Capture(Sample& sample, const std::vector<std::string>& names, Outcome& outcome) {
  for (const std::string& name : names) {
    if (sample.has_image(name)) outcome.parts.push_back(ImagePart(name, sample.image(name)));
    if (sample.has_encoded(name)) {
      const Buffer& buffer = sample.encoded(name);
      outcome.parts.push_back(
          {name, "encoded bytes", 0,
           std::string(reinterpret_cast<const char*>(buffer.data.get()), buffer.size)});
    }
    if (sample.has_label(name))
      outcome.parts.push_back({name, "label", 0, std::to_string(sample.label(name))});
  }
}

std::string PartDifference(const Outcome::Part& a, const Outcome::Part& b) {
  const std::string name = "\"" + a.name + "\"";
  if (a.form != b.form) return name + " is " + b.form + ", was " + a.form;
  if (a.form == "label") return name + " is " + b.bytes + ", was " + a.bytes;
  if (a.bytes.size() != b.bytes.size()) {
    return name + " has " + std::to_string(b.bytes.size()) + " bytes, had " +
           std::to_string(a.bytes.size());
  }
  size_t first = a.bytes.size(), differ = 0;
  for (size_t i = a.bytes.size(); i-- > 0;) {
    if (a.bytes[i] == b.bytes[i]) continue;
    first = i;
    ++differ;
  }
  return std::to_string(differ) + " of " + std::to_string(a.bytes.size()) + " bytes of " + name +
         " differ, the first " +
         (a.row_bytes > 0 ? "in row " + std::to_string(first / a.row_bytes) + ", byte " +
                                std::to_string(first % a.row_bytes)
                          : "at " + std::to_string(first));
}

std::string ViewText(const View& view) {
  return std::to_string(view.width) + " x " + std::to_string(view.height) + " of the region " +
         std::to_string(view.region.x) + ", " + std::to_string(view.region.y) + ", " +
         std::to_string(view.region.width) + ", " + std::to_string(view.region.height);
}

}  // namespace

void ThrowIfLimit(const std::exception& caught) {
  if (dynamic_cast<const std::bad_alloc*>(&caught) != nullptr) {
    if (const std::string limit = plugin::MemoryLimit(); !limit.empty()) throw LimitReached("memory ran out" + limit);
  }
  const auto* system = dynamic_cast<const std::system_error*>(&caught);
  if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) {
    throw LimitReached(std::string("a thread can't be started: ") + system->what() + "; " +
                       graph::kThreadLimits);
  }
}

Outcome RunOnce(testing::StageRunner& runner, Sample& sample,
                const std::vector<std::string>& names) {
  Outcome outcome;
  try {
    runner.Process(sample);
    Capture(sample, names, outcome);
  } catch (const BadSample& error) {
    outcome.end = Outcome::kBadSample;
    outcome.message = error.what();
  } catch (const std::exception& error) {
    ThrowIfLimit(error);
    outcome.end = Outcome::kThrew;
    outcome.message = error.what();
  } catch (...) {
    outcome.end = Outcome::kThrewNoException;
    outcome.message = "something that is no std::exception";
  }
  if (runner.planned()) outcome.planned = *runner.planned();
  return outcome;
}

std::string Difference(const Outcome& expected, const Outcome& found) {
  if (expected.end != found.end || expected.message != found.message) {
    return EndText(found) + ", before: " + EndText(expected);
  }
  const std::string plan = ViewText(found.planned), planned = ViewText(expected.planned);
  if (plan != planned) return "Plan wants " + plan + ", wanted " + planned;
  for (size_t i = 0; i < std::min(expected.parts.size(), found.parts.size()); ++i) {
    if (!(expected.parts[i] == found.parts[i]))
      return PartDifference(expected.parts[i], found.parts[i]);
  }
  return expected.parts.size() == found.parts.size() ? "" : "other names stand in the sample";
}

std::string EndText(const Outcome& outcome) {
  switch (outcome.end) {
    case Outcome::kDone:
      return "it went through";
    case Outcome::kBadSample:
      return "BadSample: " + outcome.message;
    case Outcome::kThrew:
    case Outcome::kThrewNoException:
      return "it threw: " + outcome.message;
  }
  return "";
}

}  // namespace flowtrain::cli
