// Tar files written byte by byte, sound and otherwise.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace flowtrain::data_test {

enum class TarForm : uint8_t { kUstar, kGnu, kOld };

class TarText {
 public:
  // A header alone; `size`: the field's 12 bytes as they are to stand there, else of `bytes`.
  static std::string Header(const std::string& name, uint64_t bytes, char type = '0',
                            TarForm form = TarForm::kUstar, const std::string& prefix = "",
                            const std::string& size = "") {
    std::string block(512, '\0');
    const auto put = [&](size_t at, const std::string& text) {
      block.replace(at, text.size(), text);
    };
    put(0, name.substr(0, 100));
    put(100, "0000644");
    put(124, size.empty() ? Octal(bytes, 11) : size);
    put(136, "00000000000");
    put(156, std::string(1, type));
    if (form == TarForm::kUstar)
      put(257, std::string("ustar\0"
                           "00",
                           8));
    if (form == TarForm::kGnu) put(257, std::string("ustar  \0", 8));
    put(345, prefix);
    return Summed(block);
  }
  // With the checksum that belongs to it.
  static std::string Summed(std::string block) {
    block.replace(148, 8, "        ");
    unsigned sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    block.replace(148, 7, Octal(sum, 6) + '\0');
    return block;
  }
  static std::string Padded(std::string content) {
    content.resize((content.size() + 511) / 512 * 512, '\0');
    return content;
  }
  static std::string File(const std::string& name, const std::string& content, char type = '0',
                          TarForm form = TarForm::kUstar, const std::string& prefix = "") {
    return Header(name, content.size(), type, form, prefix) + Padded(content);
  }
  // "27 path=some/name...\n".
  static std::string Record(const std::string& key, const std::string& value) {
    size_t length = key.size() + value.size() + 3, digits = 1;
    while (std::to_string(length + digits).size() != digits) ++digits;
    return std::to_string(length + digits) + " " + key + "=" + value + "\n";
  }
  static std::string Pax(const std::string& records, char type = 'x') {
    return File("PaxHeaders/0", records, type);
  }
  static std::string LongName(const std::string& name) {
    return File("././@LongLink", name + '\0', 'L', TarForm::kGnu);
  }
  static std::string End() { return std::string(1024, '\0'); }

 private:
  static std::string Octal(uint64_t value, int width) {
    char text[32];
    std::snprintf(text, sizeof text, "%0*llo", width, static_cast<unsigned long long>(value));
    return text;
  }
};

}  // namespace flowtrain::data_test
