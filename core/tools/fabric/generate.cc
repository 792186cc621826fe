// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier generate`: makes up a fabric.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "core/fabric/generators/generators.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/fabric/modifier_options.h"
#include "core/tools/summary.h"

namespace espalier::tools {
namespace {

// A word that is none of the three is a file.
void arrange(DragonflySpec& spec, const std::string& word) {
  if (const auto arrangement = parse_arrangement(word)) {
    spec.arrangement = *arrangement;
    return;
  }
  if (is_missing(word)) throw Refused{parse_arrangement(word).error()};
  spec.arrangement = DragonflySpec::Arrangement::kListed;
  spec.listed = value_or_refuse(parse_global_links(load_text(word), word));
}

bool is_listed(const TopologySpec& spec) {
  const auto* const dragonfly = std::get_if<DragonflySpec>(&spec);
  return dragonfly != nullptr && dragonfly->arrangement == DragonflySpec::Arrangement::kListed;
}

void add_generator(CLI::App& generate_command, const Generator& generator) {
  struct Options {
    std::string spec;
    std::string output;
    Modifiers modifiers;
    std::string arrangement = "absolute";  // of a dragonfly
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = generate_command.add_subcommand(std::string(generator.name), std::string(generator.source));
  command->add_option("SPEC", options->spec, fmt::format("\"{}\": {}", generator.form, generator.meaning))->required();
  command->add_option("-o,--output", options->output, "Net file to write; default: standard output");
  add_summary_option(*command, options->json, "the size of the fabric");
  add_modifier_options(*command, options->modifiers);
  if (generator.name == "dragonfly")
    command
        ->add_option("--arrangement", options->arrangement,
                     "Which router of a group is cabled to which other group: absolute, relative, random (with "
                     "--seed), or a file with lines `group router group router`")
        ->type_name("WORD|FILE")
        ->capture_default_str();
  command->footer(fmt::format("Example: {}\n  espalier generate {} \"{}\" -o big.net", generator.gives, generator.name,
                              generator.example));
  command->callback([options, &generator] {
    refuse_mixed_output(options->json, options->output);
    TopologySpec spec = value_or_refuse(generator.parse(options->spec));
    if (auto* network = std::get_if<DirectNetworkSpec>(&spec)) network->seed = options->modifiers.seed;
    if (auto* dragonfly = std::get_if<DragonflySpec>(&spec)) {
      arrange(*dragonfly, options->arrangement);
      dragonfly->seed = options->modifiers.seed;
    }
    Result<Fabric> whole = generate(spec);
    if (!whole && is_listed(spec)) whole.error().file = options->arrangement;
    const Fabric fabric = value_or_refuse(modify(value_or_refuse(std::move(whole)), options->modifiers));
    save_fabric(options->output, fabric);
    if (options->json) print_json(size_of(fabric));
  });
}

}  // namespace

void add_generate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("generate", "Generate a fabric");
  command->require_subcommand(1);
  std::string forms = "Forms of SPEC:\n";
  for (const Generator& generator : generators()) {
    add_generator(*command, generator);
    forms += fmt::format("  {:<10} {:<32} \"{}\": {}\n", generator.name, fmt::format("\"{}\"", generator.form),
                         generator.example, generator.gives);
  }
  forms += "The help of each kind explains its letters: espalier generate qft --help";
  command->footer(forms);
}

}  // namespace espalier::tools
