#include "cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace torch_fl_cuda {
namespace {

constexpr uint16_t kCuda = 190;  // EM_CUDA

template <class T>
T read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

// The attributes of a kernel (.nv.info.<kernel>): a format, a number, and two bytes that are the value, or its length.
void take_attributes(const char* at, const char* end, CubinKernel& kernel) {
  enum : uint8_t { kSized = 4, kMaxThreads = 0x05, kRequiredThreads = 0x10, kParameter = 0x17 };
  while (at + 4 <= end) {
    const auto format = read<uint8_t>(at), what = read<uint8_t>(at + 1);
    const size_t bytes = format == kSized ? read<uint16_t>(at + 2) : 0;
    const char* value = at + 4;
    at = value + bytes;
    if (at > end) return;
    if (format == kSized && what == kParameter && bytes >= 12) {
      const size_t ordinal = read<uint16_t>(value + 4);
      if (kernel.sizes.size() <= ordinal) kernel.sizes.resize(ordinal + 1);
      kernel.sizes[ordinal] = read<uint32_t>(value + 8) >> 18;
    }
    if (format == kSized && (what == kMaxThreads || what == kRequiredThreads) && bytes >= 12)
      kernel.threads = static_cast<int>(read<uint32_t>(value) * read<uint32_t>(value + 4) * read<uint32_t>(value + 8));
  }
}

}  // namespace

bool is_cubin(const void* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, SELFMAG);
  if (std::memcmp(&header, ELFMAG, SELFMAG) != 0) return false;
  std::memcpy(&header, image, sizeof(header));
  return header.e_machine == kCuda;
}

std::map<std::string, CubinKernel> kernels_of(const void* image) {
  const auto* base = static_cast<const char*>(image);
  const auto header = read<Elf64_Ehdr>(base);
  std::vector<Elf64_Shdr> sections;
  for (size_t i = 0; i < header.e_shnum; i++)
    sections.push_back(read<Elf64_Shdr>(base + header.e_shoff + i * header.e_shentsize));
  const auto name_of = [&](const Elf64_Shdr& section) {
    return std::string(base + sections[header.e_shstrndx].sh_offset + section.sh_name);
  };
  const auto after = [](const std::string& name, const std::string& prefix) {
    return name.compare(0, prefix.size(), prefix) == 0 ? name.substr(prefix.size()) : std::string();
  };
  std::map<std::string, CubinKernel> kernels;
  for (const Elf64_Shdr& section : sections)
    if (const std::string kernel = after(name_of(section), ".text."); !kernel.empty()) kernels[kernel];
  for (const Elf64_Shdr& section : sections) {
    const std::string name = name_of(section);
    const char* at = base + section.sh_offset;
    if (const auto found = kernels.find(after(name, ".nv.info.")); found != kernels.end())
      take_attributes(at, at + section.sh_size, found->second);
    if (const auto found = kernels.find(after(name, ".nv.shared.")); found != kernels.end())
      found->second.shared = static_cast<int>(section.sh_size);
  }
  return kernels;
}

}  // namespace torch_fl_cuda
