// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A .topo file and a definition of the chassis in it, divided by a line "TOPO": whatever is made of the two, it ends, and
// errors say where.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "core/io/subnet/ibnl.h"
#include "core/io/subnet/topo_file.h"
#include "tests/fuzz/expect.h"

namespace {

std::string make_folder() {
  std::string folder = (std::filesystem::temp_directory_path() / "fuzz-ibnl-XXXXXX").string();
  espalier::expect(::mkdtemp(folder.data()) != nullptr, "no folder");
  ::setenv("IBDM_IBNL_PATH", folder.c_str(), 1);
  return folder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  static const std::string folder = make_folder();
  constexpr std::string_view kDivider = "\nTOPO\n";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t at = text.find(kDivider);
  const std::string_view definition = text.substr(0, at);
  if (const auto chassis = io::read_ibnl(definition, "fuzz.ibnl"); !chassis)
    expect(chassis.error().file == "fuzz.ibnl" && !chassis.error().message.empty(), "an error without file or message");
  if (at == std::string_view::npos) return 0;
  std::ofstream(folder + "/fuzz.ibnl", std::ios::binary) << definition;
  Result<ParsedNet> net = read_topo(text.substr(at + kDivider.size()), "fuzz.topo");
  if (!net) {
    expect(net.error().file == "fuzz.topo" || net.error().file == folder + "/fuzz.ibnl", "an error without a file");
    return 0;
  }
  static_cast<void>(std::move(net->builder).build());
  return 0;
}
