// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A multicast client for the tests: joins or leaves a group through the SA, from the port it runs on.
//
//   mcast_member join|send-only|leave MGID       MGID as an IPv6 address, e.g. ff12:401b:ffff::ffff:ffff
//
// A join creates the group if there is none. Prints the MLID as 0xC001. Exit status 1: the SA refused.
#include <arpa/inet.h>

#include <cstdio>
#include <cstring>
#include <string_view>

#include "plugin/opensm.h"

namespace {

constexpr int kSaVersion = 2;
constexpr int kQp1 = 1;
constexpr unsigned kQp1Qkey = 0x80010000;
constexpr int kTimeoutMs = 5000;
constexpr std::uint8_t kFullMember = 1;
constexpr std::uint8_t kSendOnlyMember = 4;

struct Request {
  std::uint8_t method;
  std::uint8_t join_state;
  in6_addr mgid;
};

bool parse(int argc, char** argv, Request& request) {
  if (argc != 3 || inet_pton(AF_INET6, argv[2], &request.mgid) != 1) return false;
  const std::string_view verb = argv[1];
  request.method = verb == "leave" ? IB_MAD_METHOD_DELETE : IB_MAD_METHOD_SET;
  request.join_state = verb == "send-only" ? kSendOnlyMember : kFullMember;
  return verb == "join" || verb == "send-only" || verb == "leave";
}

void fill(ib_sa_mad_t& mad, const Request& request, const umad_port_t& port) {
  std::memset(&mad, 0, sizeof mad);
  mad.base_ver = 1;
  mad.mgmt_class = IB_MCLASS_SUBN_ADM;
  mad.class_ver = kSaVersion;
  mad.method = request.method;
  mad.trans_id = cl_hton64(0x45535001);
  mad.attr_id = IB_MAD_ATTR_MCMEMBER_RECORD;
  mad.comp_mask = IB_MCR_COMPMASK_MGID | IB_MCR_COMPMASK_PORT_GID | IB_MCR_COMPMASK_JOIN_STATE;
  // A group of one's own needs these; the broadcast group of IPoIB has others, which must not be asked for.
  if (request.method == IB_MAD_METHOD_SET && request.mgid.s6_addr[2] != 0x40)
    mad.comp_mask |= IB_MCR_COMPMASK_QKEY | IB_MCR_COMPMASK_PKEY | IB_MCR_COMPMASK_SL | IB_MCR_COMPMASK_FLOW |
                     IB_MCR_COMPMASK_TCLASS;
  ib_member_rec_t member;
  std::memset(&member, 0, sizeof member);
  std::memcpy(member.mgid.raw, &request.mgid, sizeof member.mgid.raw);
  member.port_gid.unicast.prefix = port.gid_prefix;
  member.port_gid.unicast.interface_id = port.port_guid;
  member.pkey = IB_DEFAULT_PKEY;
  member.scope_state = static_cast<std::uint8_t>((request.mgid.s6_addr[1] & 0xF) << 4 | request.join_state);
  std::memcpy(mad.data, &member, sizeof member);
}

// The SA's answer in `mad`; false when there is none.
bool exchange(ib_sa_mad_t& mad, const umad_port_t& port) {
  const int fd = umad_open_port(nullptr, 0);
  if (fd < 0) return false;
  const int agent = umad_register(fd, IB_MCLASS_SUBN_ADM, kSaVersion, 0, nullptr);
  void* buffer = umad_alloc(1, umad_size() + sizeof mad);
  std::memcpy(umad_get_mad(buffer), &mad, sizeof mad);
  umad_set_addr(buffer, port.sm_lid, kQp1, static_cast<int>(port.sm_sl), static_cast<int>(kQp1Qkey));
  int length = sizeof mad;
  const bool done = agent >= 0 && umad_send(fd, agent, buffer, length, kTimeoutMs, 2) >= 0 &&
                    umad_recv(fd, buffer, &length, 2 * kTimeoutMs) >= 0 && umad_status(buffer) == 0;
  if (done) std::memcpy(&mad, umad_get_mad(buffer), sizeof mad);
  umad_free(buffer);
  umad_close_port(fd);
  return done;
}

}  // namespace

int main(int argc, char** argv) {
  Request request{};
  if (!parse(argc, argv, request)) {
    std::fprintf(stderr, "usage: %s join|send-only|leave MGID\n", argv[0]);
    return 2;
  }
  umad_port_t port;
  ib_sa_mad_t mad;
  if (umad_init() < 0 || umad_get_port(nullptr, 0, &port) < 0) return 1;
  fill(mad, request, port);
  if (!exchange(mad, port)) {
    std::fprintf(stderr, "no answer from the SA\n");
    return 1;
  }
  if (mad.status != 0) {
    std::fprintf(stderr, "the SA refuses: status 0x%04x\n", cl_ntoh16(mad.status));
    return 1;
  }
  ib_member_rec_t member;
  std::memcpy(&member, mad.data, sizeof member);
  std::printf("0x%04X\n", cl_ntoh16(member.mlid));
  return 0;
}
