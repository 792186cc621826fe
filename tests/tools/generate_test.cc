// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier generate`, `espalier modify`, `espalier degrade` and `espalier rank`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fabric/faults.h"
#include "core/fabric/generators/generators.h"
#include "core/fabric/generators/modifiers.h"
#include "core/io/net/net_reader.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kSpec = "3;2,3,4;1,3,2;1,1,2";

Fabric generated() { return test::pgft(kSpec); }

class Generate : public EspalierCommand {
 protected:
  [[nodiscard]] Fabric fabric_in(const std::string& name) const {
    return read_net(read(name), name).value().builder.build().value();
  }
};
using Degrade = Generate;
using Modify = Generate;
using Rank = Generate;

TEST_F(Generate, refuses_graphs_of_more_links_than_memory_holds) {
  for (const char* spec : {"gdbg 65535,65535", "kautz 60000,1", "hyperx '49000;1'", "jellyfish 40000,30000,1"})
    for (const std::string command : {"generate ", "graph "})
      EXPECT_THAT(refusal_of(command + spec), HasSubstr("more than 30000000 links between switches"))
          << command << spec;
}

TEST_F(Generate, writes_the_tree_to_a_file_or_to_standard_output) {
  run_well(std::string("generate pgft '") + kSpec + "' -o net");
  EXPECT_EQ(run_well(std::string("generate pgft '") + kSpec + "'"), read("net"));
  EXPECT_EQ(run_well(std::string("generate pgft '") + kSpec + "' -o -"), read("net"));
  EXPECT_FALSE(exists("-"));
  EXPECT_TRUE(identical(fabric_in("net"), generated()));
}

TEST_F(Generate, says_what_a_spec_looks_like) {
  const Outcome outcome = run("generate pgft '3;24'");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("\"3;24\" is not a PGFT"), HasSubstr("for example")));
}

TEST_F(Generate, knows_every_kind_and_shows_how_each_is_written) {
  const std::string help = run_well("generate --help");
  for (const Generator& generator : generators()) {
    const std::string kind(generator.name), example(generator.example);
    EXPECT_THAT(help, HasSubstr("\"" + std::string(generator.form) + "\""));
    EXPECT_THAT(run_well("generate " + kind + " --help"),
                AllOf(HasSubstr(std::string(generator.source)), HasSubstr("\"" + example + "\"")));
    run_well("generate " + kind + " '" + example + "' -o net");
    EXPECT_TRUE(identical(fabric_in("net"), generator.parse(example).and_then(generate).value())) << kind;

    const Outcome outcome = run("generate " + kind + " 'nonsense' -o nonsense");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(std::string(generator.title)), HasSubstr("write \"")));
    EXPECT_FALSE(exists("nonsense"));
  }
  EXPECT_EQ(run("generate moebius 3,3").code, 2);
}

TEST_F(Generate, takes_what_modify_takes) {
  const std::string oddities =
      " --aggregation-nodes --service-hosts 2 --missing-hosts 3 --mixed-speeds 4 --leaf-links 1 --seed 9";
  run_well("generate mport '4,3' -o plain");
  run_well("generate mport '4,3' -o at_once" + oddities);
  EXPECT_EQ(run_well("modify plain" + oddities), read("at_once"));
  EXPECT_NE(read("plain"), read("at_once"));
  EXPECT_EQ(run_well("modify plain --seed 3"), read("plain"));
}

TEST_F(Modify, does_what_the_library_does) {
  write("net", generated());
  run_well("modify net --missing-hosts 2 --service-hosts 3 --mixed-speeds 4 --leaf-links 1 --seed 7 -o odd");
  const Modifiers modifiers{.missing_hosts = 2, .service_hosts = 3, .slow_links = 4, .leaf_links = 1, .seed = 7};
  EXPECT_TRUE(identical(fabric_in("odd"), modify(generated(), modifiers).value()));
}

TEST_F(Modify, refuses_more_than_there_is) {
  write("net", two_level_tree());
  const Outcome outcome = run("modify net --leaf-links 2 -o odd");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cannot have"));
  EXPECT_EQ(run("modify net --missing-hosts -1").code, 2);
  EXPECT_FALSE(exists("odd"));
}

TEST_F(Degrade, removes_what_the_library_removes) {
  write("net", generated());
  run_well("degrade net --links 5 --switches 2 --endports 3 --spines 1 --seed 7 -o broken");
  const Damage damage{.links = 5, .switches = 2, .spines = 1, .endports = 3, .seed = 7};
  EXPECT_TRUE(identical(fabric_in("broken"), degrade(generated(), damage).value()));
}

TEST_F(Degrade, of_nothing_copies_the_fabric) {
  for (const auto& [name, fabric] : all_drawn_fabrics()) {
    write("net", fabric);
    EXPECT_EQ(run_well("degrade net"), read("net")) << name;
  }
}

TEST_F(Degrade, refuses_more_than_there_is) {
  write("net", two_level_tree());
  const Outcome outcome = run("degrade net --switches 3 -o broken");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "espalier: cannot remove 3 switches without end ports: the fabric has 2\n");
  EXPECT_FALSE(exists("broken"));
}

TEST_F(Rank, counts_level_by_level) {
  write("net", generated());
  const std::string report = run_well("rank net");
  EXPECT_THAT(report, HasSubstr("30 switches on 3 levels, 24 end ports"));
  EXPECT_THAT(report, HasSubstr("0         12         12         24         36          0\n"));
  EXPECT_THAT(report, HasSubstr("no irregularities"));
}

TEST_F(Rank, lists_what_is_irregular) {
  write("net", leaf_to_leaf_link());
  EXPECT_THAT(run_well("rank net"), HasSubstr("same-level link: "));
  write("net", missing_parallel_link());
  EXPECT_THAT(run_well("rank net"), HasSubstr("missing parallel link: "));
}

TEST_F(Rank, takes_roots_and_compute_hosts_from_files) {
  write("net", two_level_tree());
  write("roots", "0x0002c90000000004\n0x0002c90000000005 # S1\n");
  write("hosts", "0x0002c90100000001\n0x0002c90100000021\n0x0002c90100000041\n");
  EXPECT_THAT(run_well("rank net --roots roots --cn-guids hosts"), HasSubstr("on 2 levels"));
  write("nobody", "0x1234\n");
  EXPECT_EQ(run("rank net --roots nobody").code, 2);
}

}  // namespace
}  // namespace espalier::test
