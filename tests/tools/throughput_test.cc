// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier graph` and `espalier throughput`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/support/drawing.h"
#include "tests/tools/run_espalier.h"
#include "tests/tools/wait_until.h"

namespace espalier::test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class Graph : public EspalierCommand {};
class Throughput : public EspalierCommand {};

TEST_F(Graph, measures_gdbg_as_chapter_3_does) {
  const Json result = Json::parse(run_well("graph gdbg '150,8,4' --json"));
  EXPECT_EQ(result["diameter"], 3);
  EXPECT_EQ(result["loops"], 8);
  EXPECT_NEAR(result["mean_paths_hosts"].get<double>(), 3.773, 5e-4);
  EXPECT_NEAR(result["max_load"].get<double>(), 63.35, 5e-3);
  EXPECT_NEAR(result["bounds"]["max_load_min"].get<double>(), 45.875, 1e-9);
  for (const auto& [spec, paths] : {std::pair{"100,16,4", 2.646}, std::pair{"500,16,4", 8.633}}) {
    const Json other = Json::parse(run_well(std::string("graph gdbg '") + spec + "' --bisections 0 --json"));
    EXPECT_NEAR(other["mean_paths_hosts"].get<double>(), paths, 5e-4);
  }
}

TEST_F(Graph, measures_the_switches_of_a_fabric) {
  run_well("generate slimfly '5,4' -o net");
  const Json direct = Json::parse(run_well("graph slimfly '5,4' --json"));
  Json cabled = Json::parse(run_well("graph net net --json"));
  EXPECT_EQ(direct["diameter"], 2);
  for (const char* key : {"switches", "hosts", "arcs", "diameter", "mean_distance", "mean_paths", "max_load", "bounds"})
    EXPECT_EQ(direct[key], cabled[key]) << key;
  EXPECT_THAT(run("graph net net --paths best").err, HasSubstr("is not a set of paths"));
}

TEST_F(Graph, is_by_default_the_one_that_generate_draws) {
  run_well("generate jellyfish '20,4,2' -o net");
  const Json drawn = Json::parse(run_well("graph jellyfish '20,4,2' --json"));
  const Json cabled = Json::parse(run_well("graph net net --json"));
  for (const char* key : {"mean_distance", "mean_paths", "max_load"}) EXPECT_EQ(drawn[key], cabled[key]) << key;
}

// The mean over pairs of hosts as `graph gdbg` has it needs the same number of hosts on each switch.
TEST_F(Graph, counts_the_hosts_of_a_fabric) {
  run_well("generate slimfly '5,4' -o net");
  const Json direct = Json::parse(run_well("graph slimfly '5,4' --bisections 0 --json"));
  const Json cabled = Json::parse(run_well("graph net net --bisections 0 --json"));
  EXPECT_EQ(cabled["hosts"], 200);
  EXPECT_EQ(cabled["mean_paths_hosts"], direct["mean_paths_hosts"]);
  run_well("generate slimfly '5,4' --missing-hosts 3 -o fewer");
  const Json fewer = Json::parse(run_well("graph net fewer --bisections 0 --json"));
  EXPECT_EQ(fewer["hosts"], 197);
  EXPECT_FALSE(fewer.contains("mean_paths_hosts"));
}

// One arc of each node, to itself; and no pair of hosts.
TEST_F(Graph, has_a_number_for_everything_of_a_graph_of_loops) {
  for (const char* spec : {"5,1", "1,1"}) {
    const Json result = Json::parse(run_well(std::string("graph gdbg ") + spec + " --json"));
    EXPECT_EQ(result["degree"], 1) << spec;
    EXPECT_EQ(result["mean_load"], 0) << spec;
    EXPECT_EQ(result["mean_paths_hosts"], 0) << spec;
    EXPECT_EQ(result["bounds"], Json::object()) << spec;
  }
}

// Between opposite corners of a grid of 10 x 10 there are 48 620 shortest paths.
TEST_F(Graph, counts_the_paths_of_which_throughput_leaves_out_some_and_says_so) {
  std::string links;
  for (int i = 0; i < 100; ++i) {
    if (i % 10 != 9) links += "S" + std::to_string(i) + "-S" + std::to_string(i + 1) + ' ';
    if (i < 90) links += "S" + std::to_string(i) + "-S" + std::to_string(i + 10) + ' ';
  }
  write("net", test::draw("S0:1 S99:1 " + links));
  EXPECT_THAT(run_well("graph net net --bisections 0"), HasSubstr("48620"));
  EXPECT_THAT(run("throughput net --flows shift:1 --solver fptas").err, HasSubstr("only the first 20000"));
  EXPECT_EQ(run("graph net net --bisections 0 --paths ksp:4 --ksp-ties lex").err, "");
}

// Lemma 2 speaks of K paths for every pair, and the others of one.
TEST_F(Graph, has_no_bounds_that_need_more_paths_than_pairs_have) {
  const auto bounds_of = [&](const std::string& arguments) {
    return Json::parse(run_well("graph " + arguments + " --bisections 0 --json"))["bounds"];
  };
  EXPECT_TRUE(bounds_of("gdbg '150,8,4' --paths ksp:2").contains("mean_length_min"));
  EXPECT_FALSE(bounds_of("gdbg '5,2' --paths ksp:5").contains("mean_length_min"));
  EXPECT_TRUE(bounds_of("torus '4,3,2' --paths min").contains("max_load_min"));
  EXPECT_FALSE(bounds_of("torus '4,3,2' --paths allpath:2").contains("max_load_min"));
  run_well("generate torus '3,2,1' -o prism");
  EXPECT_TRUE(bounds_of("net prism").contains("diameter_min"));
  write("apart", test::draw("A B C D E F; A-B B-C C-A D-E E-F F-D"));
  const Json apart = bounds_of("net apart");
  for (const char* bound : {"diameter_min", "mean_distance_min", "max_load_min"}) EXPECT_FALSE(apart.contains(bound));
}

TEST_F(Throughput, is_between_its_bounds_and_the_same_for_both_models_where_all_are_alike) {
  run_well("generate torus '4,4,1' -o net");
  for (const char* paths : {"min", "min+vlb", "ksp:4", "allpath:4"}) {
    const std::string command = std::string("throughput net --flows shift:5 --json --paths ") + paths;
    const Json mcf = Json::parse(run_well(command + " --model mcf"));
    const Json mmf = Json::parse(run_well(command + " --model mmf"));
    const Json near = Json::parse(run_well(command + " --model mcf --solver fptas"));
    ASSERT_EQ(mcf["per_flow"].size(), 16);
    EXPECT_NEAR(mcf["bound_low"].get<double>(), mmf["bound_low"].get<double>(), 1e-5) << paths;
    EXPECT_LE(near["bound_low"].get<double>(), mcf["bound_low"].get<double>() + 1e-6);
    EXPECT_GE(near["bound_high"].get<double>(), mcf["bound_high"].get<double>() - 1e-6);
    EXPECT_GE(mmf["total"].get<double>(), mcf["total"].get<double>() - 1e-5);
  }
}

// The path of the arithmetic is one for each pair, directed or cabled; where nodes are numbered otherwise there is none.
TEST_F(Throughput, takes_the_paths_of_de_bruijn_graphs_by_arithmetic) {
  const Json graph = Json::parse(run_well("graph gdbg '150,8,4' --paths gdbg --bisections 0 --json"));
  EXPECT_EQ(graph["max_paths"], 1);
  EXPECT_EQ(graph["min_paths"], 1);
  EXPECT_EQ(graph["mean_path_length"], graph["mean_distance"]);
  run_well("generate gdbg '20,3,1' -o net");
  EXPECT_EQ(Json::parse(run_well("graph net net --paths gdbg --bisections 0 --json"))["max_paths"], 1);
  EXPECT_EQ(Json::parse(run_well("throughput net --flows shift:6 --paths gdbg --json"))["num_paths"], 20);
  EXPECT_GT(Json::parse(run_well("throughput net --flows shift:6 --paths gdbg+vlb --json"))["num_paths"], 20);
  run_well("generate torus '4,5,1' -o torus");
  for (const char* command : {"graph net torus --paths gdbg", "throughput torus --flows shift:6 --paths min,gdbg"})
    EXPECT_THAT(refusal_of(command), HasSubstr("are no generalized de Bruijn graph")) << command;
}

// 70 as a search by hops, apart from this program, counts them. A Jellyfish has no groups that paths would go through.
TEST_F(Throughput, in_a_jellyfish_minimal_paths_are_all_shortest_ones) {
  run_well("generate jellyfish '20,4,2' -o net");
  EXPECT_EQ(Json::parse(run_well("throughput net --flows shift:6 --json"))["num_paths"], 70);
}

TEST_F(Throughput, calls_flows_unrouted_that_have_no_path_and_not_those_of_the_least_rates) {
  run_well("generate kary 2,2 -o net");
  write("flows", "\"host 0\" \"host 2\" 1e20\n\"host 1\" \"host 3\" 1\n");
  for (const char* solver : {"lp", "fptas"})
    EXPECT_EQ(Json::parse(run_well(std::string("throughput net --flows flows --json --solver ") + solver))["unrouted"],
              0);
}

TEST_F(Throughput, of_tables_and_of_flows_in_a_file) {
  run_well("generate pgft '2;4,4;1,2;1,1' -o net");
  run_well("route net --engine dmodc -o lfts");
  write("flows", "\"host 0\" \"host 4\"\n\"host 1\" \"host 8\" 3\n\"host 2\" \"host 2\"\n");
  const Json result = Json::parse(run_well("throughput net --paths lfts:lfts --flows flows --model mmf --json"));
  EXPECT_EQ(result["flows"], 2);
  EXPECT_EQ(result["unrouted"], 0);
  EXPECT_THAT(run_well("throughput net --paths lfts:lfts --flows perm:1001"), HasSubstr("bound_low"));
  run_well("route net --engine dmodc --lmc 1 -o doubled");
  run_well("throughput net --paths lfts:doubled --flows perm:1001");
  EXPECT_THAT(run("throughput net --flows shift:x").err, HasSubstr("needs a number"));
  EXPECT_THAT(run("throughput net --flows nothing").err, HasSubstr("nothing"));
  write("bad", "\"host 0\" \"host 4\"\n\"host 0\" \"host 4\" 3 4\nnobody \"host 4\"\n\"host 1\" \"host 4\" inf\n");
  const std::string said = run("throughput net --flows bad").err;
  for (const char* line :
       {"bad:2: unexpected", "bad:3: there is no host named \"nobody\"", "bad:4: \"inf\" is no weight", "3 bad lines"})
    EXPECT_THAT(said, HasSubstr(line));
}

// Behind a command that would go on for long: ends it when it has said this on standard error.
std::string until_said(const std::string& text) {
  return " & long=$!; " + kWaitUntil + "wait_until grep -qFe '" + text + "' .err; kill $long";
}

TEST_F(Graph, says_that_paths_of_many_hops_take_long) {
  run_well("generate jellyfish '40,5,2' -o net");
  EXPECT_THAT(run("graph net net --paths allpath:30" + until_said("the diameter is")).err,
              HasSubstr("the diameter is"));
  EXPECT_EQ(run("graph net net --paths allpath:4").err, "");
}

TEST_F(Throughput, says_what_is_faster_than_an_exact_answer_for_many_flows) {
  run_well("generate jellyfish '36,6,2' -o net");
  std::string all;
  for (int from = 0; from < 72; ++from)
    for (int to = 0; to < 72; ++to)
      if (from != to) all += "\"host " + std::to_string(from) + "\" \"host " + std::to_string(to) + "\"\n";
  write("all", all);
  const std::string of_all = "throughput net --flows all --paths ksp:2 ";
  EXPECT_THAT(run(of_all + until_said("--solver fptas")).err, HasSubstr("--solver fptas"));
  EXPECT_THAT(run(of_all + "--model mmf" + until_said("--solver even")).err, HasSubstr("--solver even"));
  EXPECT_EQ(run(of_all + "--model mmf --solver even").err, "");
}

TEST_F(Throughput, gives_flows_of_any_weight_their_share) {
  run_well("generate kary 2,2 -o net");
  write("flows", "\"host 0\" \"host 2\" 1\n\"host 1\" \"host 3\" 1e-15\n");
  const Json rates = Json::parse(run_well("throughput net --flows flows --json"))["per_flow"];
  EXPECT_NEAR(rates[1].get<double>() / rates[0].get<double>(), 1e-15, 1e-21);
}

// Of lines for the same pair whoever reads the file would know the last alone.
TEST_F(Throughput, has_one_line_of_weights_for_flows_of_one_pair) {
  run_well("generate kary 2,2 -o net");
  run_well("route net --engine dmodc --lmc 1 -o lfts");
  write("flows", "\"host 0\" \"host 2\"\n\"host 1\" \"host 2\"\n\"host 0\" \"host 2\" 2\n");
  run_well("throughput net --lmc 1 --paths lfts:lfts --flows flows --weights weights");
  const std::string weights = read("weights");
  EXPECT_EQ(std::count(weights.begin(), weights.end(), '\n'), 3) << weights;
}

TEST_F(Throughput, in_a_dragonfly_goes_over_one_link_between_groups) {
  run_well("generate dragonfly '2,4,2,9' -o net");
  // Whole groups, one link between any two: one such path for each pair of switches.
  for (const char* shift : {"8", "19", "37"}) {
    const Json min =
        Json::parse(run_well(std::string("throughput net --paths min --flows shift:") + shift + " --json"));
    EXPECT_EQ(min["num_paths"], 72) << shift;
  }
  const Json vlb = Json::parse(run_well("throughput net --paths min+vlb --flows shift:8 --json"));
  EXPECT_GT(vlb["num_paths"], 10 * 72);
}

// A vertex of the linear program would have one or two for each flow.
TEST_F(Throughput, writes_many_paths_that_add_up_to_exact_rates) {
  run_well("generate dragonfly '2,4,2,8' -o net");
  for (const char* model : {"mcf", "mmf"}) {
    const Json exact = Json::parse(run_well(std::string("throughput net --paths min+vlb --flows shift:8 --model ") +
                                            model + " --write-paths paths --json"));
    EXPECT_NEAR(exact["min"].get<double>(), 0.5, 1e-6);
    std::map<std::string, double> rates;
    std::size_t paths = 0;
    std::istringstream lines(read("paths"));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string from, to;
      double rate = 0;
      if (words >> from >> to >> rate) rates[from] += rate, ++paths;
    }
    EXPECT_EQ(rates.size(), 64U);
    for (const auto& [from, rate] : rates) EXPECT_NEAR(rate, 0.5, 1e-4) << from;
    EXPECT_GT(paths, 10U * 64);
  }
}

TEST_F(Throughput, answers_for_each_set_of_paths) {
  run_well("generate jellyfish '12,3,2' -o net");
  const std::string run_of = "throughput net --flows perm:3 --json --paths ";
  const std::string all = run_well(run_of + "min,ksp:4,allpath:3,min+vlb");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 4);
  std::istringstream lines(all);
  for (const char* paths : {"min", "ksp:4", "allpath:3", "min+vlb"}) {
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(Json::parse(line)["paths"], paths);
    EXPECT_EQ(Json::parse(line)["bound_low"], Json::parse(run_well(run_of + paths))["bound_low"]);
  }
  const std::string from_input = run_well("throughput - --flows perm:3 --json --paths min,ksp:4 < net");
  EXPECT_EQ(std::count(from_input.begin(), from_input.end(), '\n'), 2);
  const Outcome typo = run(run_of + "min,best");
  EXPECT_EQ(typo.code, 2);
  EXPECT_EQ(typo.out, "");
  EXPECT_THAT(typo.err, HasSubstr("\"best\" is not a set of paths; write min, ksp:K, allpath:H, gdbg or lfts:FILE"));
  EXPECT_THAT(run(run_of + "min,ksp:4 --write-paths p").err, HasSubstr("single"));
}

TEST_F(Throughput, refuses_options_that_would_do_nothing) {
  run_well("generate jellyfish '20,4,2' -o net");
  EXPECT_THAT(run("throughput net --flows shift:1 --gap 0.1").err, HasSubstr("--gap is for --solver fptas"));
  EXPECT_THAT(run("throughput net --flows shift:1 --ksp-ties lex").err, HasSubstr("--ksp-ties is for --paths ksp:K"));
  run_well("throughput net --flows shift:1 --paths min,ksp:2 --ksp-ties lex --solver fptas --gap 0.1");
}

// As other subcommands do.
TEST_F(Throughput, takes_tables_behind_the_fabric) {
  run_well("generate jellyfish '12,3,2' -o net");
  run_well("route net --engine layers --lmc 1 --lanes lanes -o lfts");
  Json behind = Json::parse(run_well("throughput net lfts --flows perm:3 --json"));
  Json named = Json::parse(run_well("throughput net --paths lfts:lfts --flows perm:3 --json"));
  for (Json* json : {&behind, &named}) json->erase("ms");
  EXPECT_EQ(behind, named);
  EXPECT_EQ(run("throughput net lfts --paths min --flows perm:3").code, 2);
}

}  // namespace
}  // namespace espalier::test
