// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/upload/upload_routes.h"

#include <gmock/gmock.h>

#include "core/fabric/fabric_builder.h"

namespace espalier {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The subnet manager, GUID 9, on port 1 of switch 1; a top, switch 2, whose ports 2 and 3 lead to switches 3 and 4.
Fabric star(std::uint64_t behind_port_2, std::uint64_t behind_port_3) {
  FabricBuilder builder;
  std::vector<FabricBuilder::SwitchHandle> switches;
  for (std::uint64_t guid = 1; guid <= 4; ++guid) {
    Switch s;
    s.guid = Guid{guid};
    s.num_ports = 4;
    switches.push_back(builder.add_switch(s));
  }
  Endport sm;
  sm.node_guid = Guid{8};
  sm.port_guid = Guid{9};
  builder.connect(switches[0], PortNum{1}, builder.add_endport(sm), {});
  builder.connect(switches[0], PortNum{2}, switches[1], PortNum{1}, {});
  if (behind_port_2 != 0) builder.connect(switches[1], PortNum{2}, switches[behind_port_2 - 1], PortNum{1}, {});
  if (behind_port_3 != 0) builder.connect(switches[1], PortNum{3}, switches[behind_port_3 - 1], PortNum{1}, {});
  return std::move(builder).build().value();
}

const std::vector<UploadRoute> kRoutes{{Guid{1}, {1}}, {Guid{2}, {1, 2}}, {Guid{3}, {1, 2, 2}}, {Guid{4}, {1, 2, 3}}};

TEST(UploadRoutes, LeadWhereTheyDid) { EXPECT_THAT(misdirected(star(3, 4), Guid{9}, kRoutes), IsEmpty()); }

TEST(UploadRoutes, LeadToAnotherAfterAnExchange) {
  EXPECT_THAT(misdirected(star(4, 3), Guid{9}, kRoutes), ElementsAre(SwitchId{2}, SwitchId{3}));
}

TEST(UploadRoutes, LeadToAnotherWhileTheMeantOneIsGone) {
  const Fabric fabric = star(4, 0);
  EXPECT_THAT(misdirected(fabric, Guid{9}, std::vector<UploadRoute>{{Guid{7}, {1, 2, 2}}}), ElementsAre(SwitchId{3}));
}

// Nobody got the packets: OpenSM itself sends them again.
TEST(UploadRoutes, ThatLeadNowhereNeedNothing) { EXPECT_THAT(misdirected(star(0, 4), Guid{9}, kRoutes), IsEmpty()); }

TEST(UploadRoutes, OfAnUnknownSubnetManagerSayNothing) {
  EXPECT_THAT(misdirected(star(4, 3), Guid{77}, kRoutes), IsEmpty());
}

TEST(UploadRoutes, MayStartAtASwitch) {
  const std::vector<UploadRoute> routes{{Guid{1}, {}}, {Guid{3}, {2, 3}}};
  EXPECT_THAT(misdirected(star(3, 4), Guid{1}, routes), ElementsAre(SwitchId{2}, SwitchId{3}));
}

TEST(UploadRoutes, OutOfPortsThatAreNotThereLeadNowhere) {
  EXPECT_THAT(misdirected(star(3, 4), Guid{9}, std::vector<UploadRoute>{{Guid{3}, {1, 0}}, {Guid{3}, {1, 200}}}),
              IsEmpty());
}

}  // namespace
}  // namespace espalier
