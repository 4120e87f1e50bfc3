// Which rows of the generated table the installed topsaten can serve. Its functions are weak here (CMakeLists.txt): one
// that the library lacks is null, and its rows go to the next lane.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "kernels/topsaten.h"
#include "rows.h"

namespace torch_fl_gcu {
namespace {

const Uses* g_uses = nullptr;

// Names of the undefined functions of namespace topsaten in this library that nothing loaded defines.
std::set<std::string> missing_functions() {
  std::set<std::string> missing;
  Dl_info info;
  link_map* self = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&missing_functions), &info, reinterpret_cast<void**>(&self),
              RTLD_DL_LINKMAP) == 0)
    return missing;
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  const uint32_t* hash = nullptr;
  for (const ElfW(Dyn)* d = self->l_ld; d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(d->d_un.d_ptr);
    if (d->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(d->d_un.d_ptr);
    if (d->d_tag == DT_GNU_HASH) hash = reinterpret_cast<const uint32_t*>(d->d_un.d_ptr);
  }
  if (symbols == nullptr || strings == nullptr || hash == nullptr) return missing;
  static constexpr char kPrefix[] = "_ZN8topsaten";
  // Undefined symbols come before the hashed ones, of which the second word of the table is the first.
  for (uint32_t i = 1; i < hash[1]; i++) {
    const char* name = strings + symbols[i].st_name;
    if (std::strncmp(name, kPrefix, sizeof(kPrefix) - 1) != 0 || dlsym(RTLD_DEFAULT, name) != nullptr) continue;
    char* rest = nullptr;
    const unsigned long length = std::strtoul(name + sizeof(kPrefix) - 1, &rest, 10);
    missing.emplace(rest, length);
  }
  return missing;
}

std::vector<fl_row> offered() {
  const std::set<std::string> missing = missing_functions();
  std::set<std::string> skipped;
  for (const Uses* use = g_uses; use != nullptr && !missing.empty(); use = use->next)
    for (const std::string& name : missing)
      if ((std::string(use->names) + ' ').find(name + ' ') != std::string::npos) skipped.insert(use->op);
  std::vector<fl_row> rows;
  std::string text;
  for (size_t i = 0; i < kRowCount; i++) {
    const std::string schema = kRows[i].schema, op = schema.substr(6, schema.find('(') - 6);
    if (skipped.count(op) == 0)
      rows.push_back(kRows[i]);
    else
      text += (text.empty() ? "" : ", ") + op;
  }
  if (!text.empty())
    core()->log(2,
                ("torch_fl[gcu]: the installed topsaten lacks what these rows call; they go to the next lane: " + text)
                    .c_str());
  return rows;
}

}  // namespace

Uses::Uses(const char* op, const char* names) : op(op), names(names), next(g_uses) { g_uses = this; }

void row_slots(fl_vendor_api& api) {
  static const auto* const rows = new std::vector<fl_row>(offered());
  api.rows = rows->data();
  api.row_count = rows->size();
  api.row_size = sizeof(fl_row);
}

}  // namespace torch_fl_gcu
