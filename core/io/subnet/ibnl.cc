// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/subnet/ibnl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/base/split.h"
#include "core/io/file.h"
#include "core/io/scanner.h"

namespace espalier::io {
namespace {

namespace fs = std::filesystem;

class IbnlReader {
 public:
  IbnlReader(std::string_view text, const std::string& file_name) : lines_(text), file_name_(file_name) {}

  Result<SystemDefinition> read() {
    while (const auto line = lines_.next())
      if (const Status ok = read_line(words_of(*line)); !ok)
        return fail_at(file_name_, lines_.number(), ok.error().message, ok.error().advice);
    close_board();
    if (definition_.top.empty()) return fail_at(file_name_, 0, "there is no TOPSYSTEM in it");
    return std::move(definition_);
  }

 private:
  Status read_line(const std::vector<std::string_view>& words) {
    if (words.empty() || words[0].front() == '#') return {};
    if ((words[0] == "SYSTEM" || words[0] == "TOPSYSTEM") && words.size() >= 2) {
      close_board();
      for (std::size_t i = 1; i < words.size(); ++i)
        for (const std::string_view name : split(words[i], ','))
          if (!name.empty()) names_.emplace_back(name);
      if (words[0] == "TOPSYSTEM") definition_.top = names_;
      return {};
    }
    if (names_.empty()) return fail("something before the first SYSTEM");
    if (words[0] == "NODE" && words.size() == 5) return add_chip(words);
    if (words[0] == "SUBSYSTEM" && words.size() == 3) {
      board_.insts.push_back({std::string(words[2]), std::string(words[1])});
      return {};
    }
    if (words[0].find('=') != std::string_view::npos) return {};  // attributes of boards, for other tools
    return add_wire(words);
  }

  // NODE SW 8 MT43132 U1
  Status add_chip(const std::vector<std::string_view>& words) {
    Scanner digits(words[2]);
    const auto ports = digits.eat_number<std::uint32_t>();
    const bool is_switch = words[1] == "SW";
    if (!ports || *ports == 0 || *ports > 254 || (!is_switch && words[1] != "CA" && words[1] != "HCA"))
      return fail("expected NODE, SW or CA, the number of ports, a device and a name");
    board_.insts.push_back({std::string(words[4]),
                            {},
                            is_switch ? NodeKind::kSwitch : NodeKind::kChannelAdapter,
                            static_cast<std::uint8_t>(*ports)});
    return {};
  }

  // "5 -10G-> U4 4", "P1 -> L1/P1"
  Status add_wire(const std::vector<std::string_view>& words) {
    const bool is_wire =
        (words.size() == 3 || words.size() == 4) && words[1].front() == '-' && words[1].ends_with("->");
    if (!is_wire || board_.insts.empty()) return fail("neither a SYSTEM, NODE or SUBSYSTEM nor a connection of one");
    BoardWire wire;
    wire.from = {board_.insts.back().name, std::string(words[0])};
    wire.to = words.size() == 4 ? BoardEnd{std::string(words[2]), std::string(words[3])}
                                : BoardEnd{{}, std::string(words[2])};
    wire.arrow = std::string(words[1]);
    board_.wires.push_back(std::move(wire));
    return {};
  }

  void close_board() {
    for (const std::string& name : names_) definition_.boards.emplace(name, board_);
    names_.clear();
    board_ = {};
  }

  Lines lines_;
  const std::string& file_name_;
  SystemDefinition definition_;
  std::vector<std::string> names_;  // of the board that we are in
  Board board_;
};

std::vector<fs::path> folders() {
  std::vector<fs::path> all;
  if (const char* given = std::getenv("IBDM_IBNL_PATH"); given != nullptr) {
    for (const std::string_view folder : split_words(given, ":")) all.emplace_back(folder);
    return all;
  }
  std::error_code none;
  for (const fs::path lib :
       {"/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"})
    for (const auto& entry : fs::directory_iterator(lib, none))
      if (entry.path().filename().string().starts_with("ibdm") && fs::is_directory(entry.path() / "ibnl", none))
        all.push_back(entry.path() / "ibnl");
  return all;
}

std::vector<fs::path> ibnl_files() {
  std::vector<fs::path> files;
  std::error_code none;
  for (const fs::path& folder : folders())
    for (const auto& entry : fs::directory_iterator(folder, none))
      if (entry.path().extension() == ".ibnl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<SystemDefinition> read_ibnl(std::string_view text, const std::string& file_name) {
  return IbnlReader(text, file_name).read();
}

Result<SystemDefinition> find_system_definition(std::string_view type) {
  const std::vector<fs::path> files = ibnl_files();
  for (const fs::path& file : files) {
    const Result<std::string> text = read_file(file.string());
    if (!text || text->find(type) == std::string::npos) continue;
    Result<SystemDefinition> definition = read_ibnl(*text, file.string());
    if (!definition) return definition;
    if (std::find(definition->top.begin(), definition->top.end(), type) != definition->top.end()) return definition;
  }
  return fail(fmt::format("system type \"{}\" is in none of {} .ibnl files", type, files.size()),
              files.empty() ? "install ibutils, or set IBDM_IBNL_PATH to the folder of its .ibnl files"
                            : "set IBDM_IBNL_PATH to the folder of its .ibnl file, or describe each chip as a separate "
                              "system of type SW or CA");
}

}  // namespace espalier::io
