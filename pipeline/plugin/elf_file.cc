#include "pipeline/plugin/elf_file.h"

#include <elf.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

namespace flowtrain::plugin {
namespace {

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : in_(path, std::ios::binary) {
    if (in_.seekg(0, std::ios::end)) size_ = static_cast<uint64_t>(in_.tellg());
  }
  bool open() const { return static_cast<bool>(in_); }
  bool Holds(uint64_t offset, uint64_t bytes) const {
    return offset <= size_ && bytes <= size_ - offset;
  }

  // `count` records at `offset`; nothing where the file ends before.
  template <class T>
  std::optional<std::vector<T>> Read(uint64_t offset, uint64_t count) {
    if (count > size_ / sizeof(T) || !Holds(offset, count * sizeof(T))) return std::nullopt;
    std::vector<T> records(count);
    in_.seekg(static_cast<std::streamoff>(offset));
    in_.read(reinterpret_cast<char*>(records.data()),
             static_cast<std::streamsize>(count * sizeof(T)));
    if (!in_) return std::nullopt;
    return records;
  }

 private:
  std::ifstream in_;
  uint64_t size_ = 0;
};

bool Exports(Reader& reader, const std::vector<Elf64_Shdr>& sections, const std::string& symbol) {
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names_section = sections[section.sh_link];
    const auto symbols =
        reader.Read<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
    const auto names = reader.Read<char>(names_section.sh_offset, names_section.sh_size);
    if (!symbols || !names) return false;
    const std::string wanted = symbol + '\0';
    for (const Elf64_Sym& s : *symbols) {
      if (s.st_shndx == SHN_UNDEF || s.st_name > names->size() ||
          names->size() - s.st_name < wanted.size())
        continue;
      if (std::memcmp(names->data() + s.st_name, wanted.data(), wanted.size()) == 0) return true;
    }
  }
  return false;
}

}  // namespace

ElfFile InspectElf(const std::filesystem::path& path, const std::string& symbol) {
  // Looked at before it is opened: opening a FIFO waits for somebody who writes.
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return {"this is not a regular file"};
  Reader reader(path);
  if (!reader.open()) return {std::string("can't be read: ") + std::strerror(errno)};
  const auto header = reader.Read<Elf64_Ehdr>(0, 1);
  if (!header || std::memcmp((*header)[0].e_ident, ELFMAG, SELFMAG) != 0)
    return {"this is not a shared library"};
  const Elf64_Ehdr& elf = (*header)[0];
  if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_type != ET_DYN)
    return {"this is not a 64-bit shared library"};
  const auto segments = reader.Read<Elf64_Phdr>(elf.e_phoff, elf.e_phnum);
  const auto sections = reader.Read<Elf64_Shdr>(elf.e_shoff, elf.e_shnum);
  if (!segments || !sections) return {"the file is cut off"};
  for (const Elf64_Phdr& segment : *segments) {
    if (segment.p_type == PT_LOAD && !reader.Holds(segment.p_offset, segment.p_filesz))
      return {"the file is cut off"};
  }
  return {"", Exports(reader, *sections, symbol)};
}

}  // namespace flowtrain::plugin
