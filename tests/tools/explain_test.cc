// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier explain`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/io/lft/lft_dump.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Explain : public EspalierCommand {
 protected:
  void write_and_route(const Fabric& fabric) const {
    write("net", fabric);
    run_well("route net --engine dmodc -o lfts");
  }
};

// Everything goes clockwise round the ring, but hosts' LIDs only as far as their own switch.
ForwardingTables clockwise(const Fabric& ring) {
  ForwardingTables tables(ring.num_switches(), ring.top_lid());
  for (const SwitchId s : ring.switches()) {
    const std::size_t next = (index(s) + 1) % ring.num_switches();
    for (const PortNum p : ring.ports(s)) {
      const Peer& peer = ring.peer(s, p);
      if (!peer.is_switch() || index(peer.as_switch()) != next) continue;
      for (std::size_t lid = 1; lid <= index(ring.top_lid()); ++lid) tables.set(s, id_at<Lid>(lid), p);
    }
    tables.set(s, ring.at(s).lid, kManagementPort);
  }
  for (const EndportId e : ring.endports()) tables.set(ring.at(e).leaf, ring.at(e).lid, ring.at(e).leaf_port);
  return tables;
}

TEST_F(Explain, tells_a_path_hop_by_hop_with_reasons) {
  write_and_route(two_level_tree());
  EXPECT_THAT(
      run_well("explain net lfts --from h0 --to h2"),
      AllOf(StartsWith("from 0x"), HasSubstr("(h0)"), HasSubstr("of 2 on shortest paths (2 ports to choose from)"),
            HasSubstr("down: the destination is below (1 port to choose from)"), HasSubstr("delivered\n"),
            HasSubstr("2 links between switches; the shortest up-down path has 2\n")));
}

TEST_F(Explain, finds_nodes_by_guid_lid_and_part_of_a_description) {
  const Fabric fabric = two_level_tree();
  write_and_route(fabric);
  const Endport& host = fabric.at(endport_named(fabric, "h2"));
  const std::string by_name = run_well("explain net lfts --from S0 --to h2");
  char guid[32];
  std::snprintf(guid, sizeof guid, "0x%016zx", index(host.port_guid));
  EXPECT_EQ(run_well("explain net lfts --from S0 --to " + std::string(guid)), by_name);
  EXPECT_EQ(run_well("explain net lfts --from S0 --to " + std::to_string(index(host.lid))), by_name);
}

TEST_F(Explain, refuses_what_fits_several_nodes_or_none_and_names_some) {
  write_and_route(two_level_tree());
  const Outcome several = run("explain net lfts --from S --to h2");
  EXPECT_EQ(several.code, 2);
  EXPECT_THAT(several.err, AllOf(HasSubstr("\"S\" matches 2 nodes"), HasSubstr("(S0)"), HasSubstr("(S1)")));
  EXPECT_THAT(run("explain net lfts --from nobody --to h2").err, HasSubstr("there is no node named \"nobody\""));
  EXPECT_THAT(run("explain net lfts --from 4711 --to h2").err, HasSubstr("no node has LID 4711"));
}

TEST_F(Explain, of_a_path_that_does_not_arrive_has_exit_code_1) {
  write_and_route(two_level_tree());
  run_well("route net --engine dmodc | grep -v '^0x0009' >holes");  // LID 9: h3, on L1
  const Outcome outcome = run("explain net holes --from h0 --to h3");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("the table has no entry for the LID, so the packet is dropped"));
}

TEST_F(Explain, answers_one_question_at_a_time) {
  write_and_route(two_level_tree());
  EXPECT_THAT(run("explain net lfts").err, HasSubstr("one question at a time"));
  EXPECT_EQ(run("explain net lfts --credit-loop --hot-links 3").code, 2);
  EXPECT_THAT(run("explain net lfts --from h0").err, HasSubstr("a path needs two ends"));
}

TEST_F(Explain, tells_a_credit_loop_link_by_link_and_that_hosts_alone_close_it) {
  const Fabric ring = ring_of_five();
  write("net", ring);
  write("lfts", write_lfts(ring, clockwise(ring)));
  const Outcome outcome = run("explain net lfts --credit-loop");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out,
              AllOf(StartsWith("credit loop of 5 links"), HasSubstr("waits for link 1: "), HasSubstr("(host to host)"),
                    Not(HasSubstr("sent by a switch")), HasSubstr("traffic between hosts alone closes it")));
  EXPECT_THAT(run("explain net lfts --credit-loop --json").out, HasSubstr("\"by_host_traffic_alone\": true"));
}

TEST_F(Explain, says_that_a_loop_takes_more_than_hosts) {
  // The ring again, but only two neighbors have hosts: their packets go one link each.
  const Fabric ring = draw("R0:1 R1:1 R2 R3 R4 ; R0-R1 R1-R2 R2-R3 R3-R4 R4-R0");
  write("net", ring);
  ForwardingTables tables = clockwise(ring);
  const SwitchId r1 = switch_named(ring, "R1");
  for (const PortNum p : ring.ports(r1))
    if (ring.peer(r1, p).is_switch() && ring.peer(r1, p).as_switch() == SwitchId{0})
      tables.set(r1, ring.at(endport_named(ring, "h0")).lid, p);
  write("lfts", write_lfts(ring, tables));
  const Outcome outcome = run("explain net lfts --credit-loop");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("traffic between hosts alone closes no loop"), HasSubstr("sent by a switch"),
                                 HasSubstr("VL15 has no flow control"), HasSubstr("performance management")));
  const Outcome verdict = run("verify net lfts");
  EXPECT_EQ(verdict.code, 1);
  EXPECT_THAT(verdict.out, AllOf(HasSubstr("hosts alone      sound"), HasSubstr("all traffic      NOT SOUND")));
  const Outcome json = run("verify net lfts --json");
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"sound_hosts\": true"), HasSubstr("\"sound_all\": false")));
}

TEST_F(Explain, finds_no_credit_loop_in_sound_tables) {
  write_and_route(three_level_tree());
  EXPECT_THAT(run_well("explain net lfts --credit-loop"), StartsWith("no credit loop: "));
}

TEST_F(Explain, lists_hot_links_whose_fullest_is_the_figure_of_analyze) {
  write_and_route(missing_parallel_link());
  const std::string metrics = run_well("analyze net lfts --patterns a2a,sp");
  const std::string all = run_well("explain net lfts --hot-links 1 --json");
  const std::string flows =
      all.substr(all.find("\"flows\": ") + 9, all.find(',', all.find("\"flows\": ")) - all.find("\"flows\": ") - 9);
  EXPECT_THAT(metrics, ContainsRegex("all to all +" + flows + "\n"));
  EXPECT_THAT(run_well("explain net lfts --hot-links 2 --pattern sp"),
              AllOf(HasSubstr("  1. "), HasSubstr(" flows under shift by "), HasSubstr("flow  0x")));
  EXPECT_EQ(run("explain net lfts --hot-links 2 --pattern sp,rp").code, 2);
}

TEST_F(Explain, says_why_two_hosts_share_a_link) {
  write_and_route(draw("L0:4 L1:4 ; L0-S0 L0-S0 L1-S0"));
  EXPECT_THAT(
      run_well("explain net lfts --share h4 h5"),
      AllOf(HasSubstr("has 4 hosts and 1 link upward: at best 4 hosts per link, so some must share"),
            HasSubstr("traffic to them: 1 shared channel"), HasSubstr("the only path down from here: decided below")));
  EXPECT_THAT(run("explain net lfts --share h4 L0").err, HasSubstr("is not a host"));
}

TEST_F(Explain, tells_what_a_fault_changed) {
  write_and_route(three_level_tree());
  run_well("degrade net --spines 1 -o net2");
  run_well("route net2 --engine dmodc -o lfts2");
  EXPECT_THAT(run_well("explain net lfts --against net2 lfts2"),
              AllOf(StartsWith("1 switches gone:\n"), HasSubstr("moved because their route broke"),
                    HasSubstr("all-to-all flows on the fullest channel: "), HasSubstr("channels got hotter")));
  EXPECT_THAT(run_well("explain net lfts --against net lfts"),
              AllOf(StartsWith("0 of 240 entries changed"), HasSubstr("0 channels got hotter\n")));
}

}  // namespace
}  // namespace espalier::test
