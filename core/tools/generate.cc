// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier generate`: makes up a fabric.
#include <memory>
#include <string>

#include "core/fabric/pgft.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"

namespace espalier::tools {

void add_generate(CLI::App& app) {
  CLI::App* generate = app.add_subcommand("generate", "Make up a fabric");
  generate->require_subcommand(1);

  struct Options {
    std::string spec;
    std::string output;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* pgft = generate->add_subcommand("pgft", "A Parallel Ports Generalised Fat Tree (Zahavi 2010)");
  pgft->add_option("SPEC", options->spec,
                   "\"h;m1,..,mh;w1,..,wh;p1,..,ph\": levels; children of a switch, parents of a node below, and "
                   "parallel cables between the two, level by level from the leaves up")
      ->required();
  pgft->add_option("-o,--output", options->output, "Net file to write; default: standard output");
  pgft->footer("Example: 8640 hosts on 1152 switches\n  espalier generate pgft \"3;24,12,30;1,24,3;1,1,1\" -o big.net");
  pgft->callback([options] {
    const PgftSpec spec = value_or_refuse(PgftSpec::parse(options->spec));
    save_fabric(options->output, value_or_refuse(generate_pgft(spec)));
  });
}

}  // namespace espalier::tools
