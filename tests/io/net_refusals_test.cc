// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What read_net refuses, with the words in which it does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/io/net/net_reader.h"
#include "tests/io/refusal.h"

namespace espalier {
namespace {

using BadNet = test::BadText;
class NetRefusal : public test::Refusal {};

TEST_P(NetRefusal, NamesFileAndLine) { expect_refused(read_net(GetParam().text, "x.net")); }

INSTANTIATE_TEST_SUITE_P(
    Headers, NetRefusal,
    testing::Values(
        BadNet{"", "x.net: it contains no Switch and no Ca"},
        BadNet{"{\"nodes\": []}\n", "x.net: it contains no Switch and no Ca"},
        BadNet{"\nSwitch \"s\"\n", "x.net:2: expected the number of ports, 1 to 254, after \"Switch\""},
        BadNet{"Ca\t : 0x0002c90300000001 ports 2 \"node\"\n", "x.net:1: expected the number of ports"},
        BadNet{"Switch 4 \"S-00000000000000aa\"\n\nswitchguid=0xaa\nSwitch 4 \"s\"\n",
               "x.net:4: \"S-00000000000000aa\" and \"s\" both have the GUID 0x00000000000000aa"},
        BadNet{"Switch 0 \"s\"\n", "x.net:1: expected the number of ports"},
        BadNet{"Switch 255 \"s\"\n", "x.net:1: expected the number of ports"},
        BadNet{"Switch 99999999999 \"s\"\n", "x.net:1: expected the number of ports"},
        BadNet{"Switch 4 s\n", "x.net:1: expected the node's id in quotes"},
        BadNet{"Switch 4 \"\"\n", "x.net:1: expected the node's id in quotes"},
        BadNet{"Switch 4 \"s\n", "x.net:1: expected the node's id in quotes"},
        BadNet{"Switch 4 \"s\" # \"s\" lid 8 lmc 8\n", "x.net:1: LMC 8 is above 7"},
        BadNet{"Ca 1 \"h\" # \"h\" uncabled [2] lid 1\n", "x.net:1: \"h\"[2] is beyond the node's 1 port"},
        BadNet{"Ca 1 \"h\" # \"h\" uncabled [1] lid 1\n[1] \"s\"[1]\n", "x.net:1: \"h\"[1] is listed as uncabled"},
        BadNet{"Switch 4 \"s\"\n\nSwitch 4 \"s\"\n", "x.net:3: a second block of \"s\"; the first is at line 1"},
        BadNet{"include \"other.net\"\n", "x.net:1: ibsim's include is not supported"},
        BadNet{"module=\"m\"\n", "x.net:1: ibsim's module prefix is not supported"},
        BadNet{"Switch 4 \"s\"\n@[1] \"uplink\"\n", "x.net:2: ibsim's port aliases are not supported"}));

INSTANTIATE_TEST_SUITE_P(
    Ports, NetRefusal,
    testing::Values(BadNet{"[1] \"s\"[1]\n", "x.net:1: a port outside of a block"},
                    BadNet{"Switch 4 \"s\"\n\n[1] \"t\"[1]\n", "x.net:3: a port outside of a block"},
                    BadNet{"Switch 4 \"s\"\n[5] \"t\"[1]\n", "x.net:2: port 5 of \"s\", which has only 4 ports"},
                    BadNet{"Switch 4 \"s\"\n[0] \"t\"[1]\n", "x.net:2: a port number must be 1 to 254"},
                    BadNet{"Switch 4 \"s\"\n[1] \"t\"[0]\n", "x.net:2: a port number must be 1 to 254"},
                    BadNet{"Switch 4 \"s\"\n[1] \"t\"[x]\n", "x.net:2: a port number must be 1 to 254"},
                    BadNet{"Switch 4 \"s\"\n[1 \"t\"[1]\n", "x.net:2: a port number has no closing bracket"},
                    BadNet{"Switch 4 \"s\"\n[1](12 \"t\"[1]\n", "x.net:2: a port GUID has no closing parenthesis"},
                    BadNet{"Switch 4 \"s\"\n[1] \"t[1]\n", "x.net:2: the peer's id has no closing quote"},
                    BadNet{"Switch 4 \"s\"\n[1] \"\"[1]\n", "x.net:2: expected the peer's id in quotes"},
                    BadNet{"Switch 4 \"s\"\n[1] \"t\"[1] 4xQDR\n", "x.net:2: unexpected \"4xQDR\" after the peer"}));

INSTANTIATE_TEST_SUITE_P(
    Links, NetRefusal,
    testing::Values(
        BadNet{"Switch 4 \"s\"\n[1] \"h\"[2]\n\nCa 1 \"h\"\n",
               "x.net:2: \"s\"[1] is cabled to \"h\"[2], which has only 1 port"},
        BadNet{"Switch 4 \"s\"\n[1] \"t\"[1]\n[1] \"t\"[2]\n",
               "x.net:3: a second line for \"s\"[1]; the first is line 2"},
        BadNet{"Switch 4 \"s\"\n[1] \"t\"[1]\n\nSwitch 4 \"t\"\n[1] \"s\"[2]\n",
               "x.net:2: \"s\"[1] is cabled to \"t\"[1], but line 5 says that the latter is cabled to \"s\"[2]"},
        BadNet{"Switch 4 \"s\"\n[1] \"t\"[1]\n[2] \"t\"[1]\n\nSwitch 4 \"t\"\n",
               "x.net:3: \"s\"[2] and line 2 both have a cable to \"t\"[1]"}));

}  // namespace
}  // namespace espalier
