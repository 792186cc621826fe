// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/program.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/tools/command.h"
#include "core/tools/help.h"
#include "core/tools/inputs/node_names.h"
#include "core/tools/manual.h"
#include "core/tools/quiet.h"
#include "core/tools/usage.h"

namespace espalier::tools {
namespace {

constexpr int kAnswerIsNo = 1;
constexpr int kNoAnswer = 2;

int complain(std::string_view message) {
  fmt::print(stderr, "espalier: {}\n", printable(message));
  return kNoAnswer;
}

// CLI11 reads numbers as strtoull() does: signs, octal and hexadecimal, and what is too large becomes the largest.
std::string refuse_odd_number(const std::string& type, const std::string& word) {
  const auto unless = [&](bool good, const char* what) {
    return good ? std::string() : fmt::format("\"{}\" is not {}", word, what);
  };
  if (type.starts_with("UINT"))
    return unless(parse_number<std::uint64_t>(word).has_value(), "a whole number from 0 up");
  if (type.starts_with("INT")) return unless(parse_number<std::int64_t>(word).has_value(), "a whole number");
  return unless(parse_number<double>(word).has_value(), "a number");
}

// Every option of every subcommand that holds a number reads it by parse_number().
void read_numbers_strictly(CLI::App& app) {
  for (CLI::App* subcommand : app.get_subcommands([](CLI::App*) { return true; })) read_numbers_strictly(*subcommand);
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (type.starts_with("UINT") || type.starts_with("INT") || type.starts_with("FLOAT"))
      option->check([type](const std::string& word) { return refuse_odd_number(type, word); }, {});
  }
}

// --node-name-map wherever it stands.
void take_node_names(std::vector<std::string>& arguments) {
  constexpr std::string_view kOption = "--node-name-map";
  const auto joined = fmt::format("{}=", kOption);
  for (auto at = arguments.begin(); at != arguments.end(); ++at) {
    const bool is_joined = at->starts_with(joined);
    if (!is_joined && *at != kOption) continue;
    if (!is_joined && at + 1 == arguments.end())
      throw Refused{{"--node-name-map requires a file", {}, 0, "see espalier --help"}};
    use_node_names(is_joined ? at->substr(joined.size()) : *(at + 1));
    arguments.erase(at, at + (is_joined ? 1 : 2));
    return;
  }
}

int parse_and_run(const Program& program, int argc, char** argv) {
  CLI::App app("Compute, check and explain routes of InfiniBand fabrics", "espalier");
  std::string names;
  app.formatter(help_formatter());
  app.set_version_flag("--version", "espalier " ESPALIER_VERSION);
  app.add_flag_callback("--quiet", be_quiet, "Nothing on standard error but errors; every subcommand takes it");
  app.add_option("--node-name-map", names,
                 "File with names of nodes, lines 0xGUID \"name\", as for ibnetdiscover; every subcommand takes it");
  app.require_subcommand(1);
  app.footer(
      "Exit code 0: yes, all is well. 1: checked, and the answer is no. 2: bad input, no answer.\n"
      "Example: route a tree of 648 hosts\n"
      "  espalier generate pgft \"2;18,36;1,18;1,1\" -o tree.net\n"
      "  espalier route tree.net --verify -o tree.lfts");
  for (const auto add : program.subcommands) add(app);
  add_manual(app);
  app.set_help_all_flag("--help-all", "Help of all subcommands");  // last, or they would all have it
  read_numbers_strictly(app);

  std::vector<std::string> arguments = with_help_as_option(argc, argv);
  try {
    program.before(arguments);
    if (std::erase(arguments, "--quiet") > 0) be_quiet();
    take_node_names(arguments);
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them from the back
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return complain(explain(app, error, arguments));
  } catch (const Refused& refused) {
    return complain(refused.error.text());
  } catch (const AnswerIsNo&) {
    return kAnswerIsNo;
  }
  return 0;
}

}  // namespace

int run(const Program& program, int argc, char** argv) {
  try {
    const int code = parse_and_run(program, argc, argv);
    if (code == kNoAnswer) return code;  // has been said, also where standard output is to blame
    if (std::fflush(stdout) != 0) return complain(fmt::format("standard output: {}", std::strerror(errno)));
    // What was flushed before: the help, for example.
    if (std::ferror(stdout) != 0) return complain("standard output: not all of it could be written");
    return code;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) return complain(error.what());
    return complain(fmt::format("standard output: {}", error.code().message()));
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}

}  // namespace espalier::tools
