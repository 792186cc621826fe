// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The command `espalier`: assembles the subcommands and turns what they throw into messages and exit codes.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/report/watch.h"
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
  const bool good = type.starts_with("UINT")  ? parse_number<std::uint64_t>(word).has_value()
                    : type.starts_with("INT") ? parse_number<std::int64_t>(word).has_value()
                                              : parse_number<double>(word).has_value();
  return good ? std::string() : fmt::format("\"{}\" is not a number that fits here", word);
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

int run(int argc, char** argv) {
  CLI::App app("Computes, judges and explains routes of InfiniBand fabrics", "espalier");
  app.set_version_flag("--version", "espalier " ESPALIER_VERSION);
  app.set_help_all_flag("--help-all", "Help of all subcommands");
  app.require_subcommand(1);
  app.footer(
      "Exit code 0: yes. 1: no. 2: no answer, bad input.\n"
      "Example: route a tree of 648 hosts\n"
      "  espalier generate pgft \"2;18,36;1,18;1,1\" -o tree.net\n"
      "  espalier route tree.net --engine dmodc --verify -o tree.lfts");
  add_generate(app);
  add_graph(app);
  add_modify(app);
  add_degrade(app);
  add_check(app);
  add_rank(app);
  add_types(app);
  add_route(app);
  add_repair(app);
  add_verify(app);
  add_diff(app);
  add_analyze(app);
  add_simulate(app);
  add_throughput(app);
  add_compare(app);
  add_advise(app);
  add_whatif(app);
  add_explain(app);
  add_report(app);
  add_convert(app);
  add_schedule(app);
  add_doctor(app);
  add_watch(app);
  read_numbers_strictly(app);

  const std::vector<std::string> arguments = with_help_as_option(argc, argv);
  try {
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
}  // namespace espalier::tools

int main(int argc, char** argv) {
  using espalier::tools::complain;
  try {
    const int code = espalier::tools::run(argc, argv);
    if (std::fflush(stdout) != 0) return complain(fmt::format("standard output: {}", std::strerror(errno)));
    return code;
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}
