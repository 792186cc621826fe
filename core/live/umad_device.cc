// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/live/umad_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace espalier::live {
namespace {

constexpr int kSlackMs = 2000;  // for the kernel, beyond the time that all attempts take

// A packet with the kernel's header in front, as the device takes and gives it.
struct Packet {
  alignas(ib_user_mad_t) std::array<std::uint8_t, sizeof(ib_user_mad_t) + IB_MAD_SIZE> bytes{};

  [[nodiscard]] void* get() { return bytes.data(); }
};

// What umad_open_port() means by its results.
tl::unexpected<Error> cannot_open(const LocalPort& local_port, int result, int system_error) {
  if (result == -EIO && (system_error == EACCES || system_error == EPERM))
    return fail_at(local_port.text(), 0,
                   fmt::format("no permission to open /dev/infiniband/umad*: {}", std::strerror(system_error)),
                   "run as root, or grant yourself access to /dev/infiniband/umad*");
  if (result == -EIO)
    return fail_at(local_port.text(), 0,
                   fmt::format("cannot open /dev/infiniband/umad*: {}", std::strerror(system_error)),
                   "load the kernel module that provides it: modprobe ib_umad");
  return fail_at(
      local_port.text(), 0, "no InfiniBand port accepts management packets",
      "ibstat lists the ports for --ca and --port; if it lists them, load the missing module: modprobe ib_umad");
}

ib_rpc_t question_of(int management_class, unsigned attribute, unsigned modifier, int data_offset, int data_size,
                     std::uint32_t ticket) {
  ib_rpc_t question{};
  question.mgtclass = management_class;
  question.method = IB_MAD_METHOD_GET;
  question.attr = {attribute, modifier};
  question.dataoffs = data_offset;
  question.datasz = data_size;
  question.trid = ticket;
  return question;
}

// The port that general services are asked at.
ib_portid_t queue_pair_1(int lid) {
  ib_portid_t to{};
  to.lid = lid;
  to.qp = 1;
  to.qkey = IB_DEFAULT_QP1_QKEY;
  return to;
}

}  // namespace

std::string LocalPort::text() const {
  std::string where;
  if (!ca.empty()) where += ca;
  if (port > 0) where += fmt::format("{}port {}", where.empty() ? "" : " ", port);
  return where.empty() ? "the live subnet" : fmt::format("the live subnet ({})", where);
}

Result<UmadDevice> UmadDevice::open(const LocalPort& local_port) {
  if (umad_init() < 0) return cannot_open(local_port, -ENODEV, errno);
  errno = 0;
  const int fd = umad_open_port(local_port.ca.empty() ? nullptr : local_port.ca.c_str(), local_port.port);
  if (fd < 0) return cannot_open(local_port, fd, errno);
  UmadDevice device(fd, umad_register(fd, IB_SMI_DIRECT_CLASS, 1, 0, nullptr), local_port.timeout_ms);
  umad_port_t port{};
  if (umad_get_port(local_port.ca.empty() ? nullptr : local_port.ca.c_str(), local_port.port, &port) == 0) {
    device.administrator_ = static_cast<std::uint16_t>(port.sm_lid);
    umad_release_port(&port);
  }
  device.administration_agent_ = umad_register(fd, IB_SA_CLASS, 2, 0, nullptr);
  device.performance_agent_ = umad_register(fd, IB_PERFORMANCE_CLASS, 1, 0, nullptr);
  if (device.agent_ < 0)
    return fail_at(local_port.text(), 0,
                   fmt::format("the kernel rejects directed-route packets: {}", std::strerror(errno)),
                   "use a port of an InfiniBand adapter; ibstat shows its link layer");
  return device;
}

UmadDevice::~UmadDevice() {
  if (fd_ < 0) return;
  if (agent_ >= 0) umad_unregister(fd_, agent_);
  if (administration_agent_ >= 0) umad_unregister(fd_, administration_agent_);
  if (performance_agent_ >= 0) umad_unregister(fd_, performance_agent_);
  umad_close_port(fd_);
}

UmadDevice::UmadDevice(UmadDevice&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      agent_(other.agent_),
      administration_agent_(other.administration_agent_),
      performance_agent_(other.performance_agent_),
      timeout_ms_(other.timeout_ms_),
      administrator_(other.administrator_) {}

Status UmadDevice::ask(const DirectedRoute& route, unsigned attribute, unsigned modifier, std::uint32_t ticket) {
  ib_portid_t to{};
  to.drpath.cnt = route.hops;
  std::copy(route.ports.begin(), route.ports.end(), to.drpath.p);
  ib_rpc_t question = question_of(IB_SMI_DIRECT_CLASS, attribute, modifier, IB_SMP_DATA_OFFS, IB_SMP_DATA_SIZE, ticket);
  return send(question, to, agent_, nullptr);
}

Status UmadDevice::ask_path(Lid from, Lid to, std::uint32_t ticket) {
  constexpr std::uint64_t kDestinationAndSource = std::uint64_t{3} << 4;  // component mask: DLID and SLID
  if (administrator_ == 0)
    return fail("this port knows no subnet administrator", "is a subnet manager running? sminfo asks it");
  std::array<std::uint8_t, IB_SA_DATA_SIZE> record{};
  mad_set_field(record.data(), 0, IB_SA_PR_DLID_F, static_cast<std::uint32_t>(index(to)));
  mad_set_field(record.data(), 0, IB_SA_PR_SLID_F, static_cast<std::uint32_t>(index(from)));
  ib_portid_t administrator = queue_pair_1(administrator_);
  ib_rpc_t question = question_of(IB_SA_CLASS, IB_SA_ATTR_PATHRECORD, 0, IB_SA_DATA_OFFS, IB_SA_DATA_SIZE, ticket);
  question.mask = kDestinationAndSource;
  return send(question, administrator, administration_agent_, record.data());
}

Status UmadDevice::ask_counters(Lid at, PortNum port, std::uint32_t ticket) {
  std::array<std::uint8_t, IB_PC_DATA_SZ> data{};
  mad_set_field(data.data(), 0, IB_PC_PORT_SELECT_F, static_cast<std::uint32_t>(index(port)));
  ib_portid_t to = queue_pair_1(static_cast<int>(index(at)));
  ib_rpc_t question =
      question_of(IB_PERFORMANCE_CLASS, IB_GSI_PORT_COUNTERS_EXT, 0, IB_PC_DATA_OFFS, IB_PC_DATA_SZ, ticket);
  return send(question, to, performance_agent_, data.data());
}

Status UmadDevice::send(ib_rpc_t& question, ib_portid_t& to, int agent, void* data) {
  question.timeout = timeout_ms_;
  Packet packet;
  if (mad_build_pkt(packet.get(), &question, &to, nullptr, data) < 0 ||
      umad_send(fd_, agent, packet.get(), IB_MAD_SIZE, timeout_ms_, kAttempts - 1) < 0)
    return fail(fmt::format("cannot send a management packet: {}", std::strerror(errno)));
  return {};
}

Result<UmadDevice::Answer> UmadDevice::receive() {
  Packet packet;
  int length = IB_MAD_SIZE;
  if (umad_recv(fd_, packet.get(), &length, timeout_ms_ * kAttempts + kSlackMs) < 0)
    return fail(fmt::format("the device no longer answers: {}", std::strerror(errno)), "try again");
  auto* const mad = static_cast<std::uint8_t*>(umad_get_mad(packet.get()));
  Answer answer;
  answer.ticket = static_cast<std::uint32_t>(mad_get_field64(mad, 0, IB_MAD_TRID_F));
  const std::uint32_t management_class = mad_get_field(mad, 0, IB_MAD_MGMTCLASS_F);
  const bool directed = management_class == IB_SMI_DIRECT_CLASS;
  const auto status = mad_get_field(mad, 0, directed ? IB_DRSMP_STATUS_F : IB_MAD_STATUS_F);
  if (umad_status(packet.get()) != 0 || status != 0) return answer;
  answer.data.emplace();
  const int begin = directed ? IB_SMP_DATA_OFFS : management_class == IB_SA_CLASS ? IB_SA_DATA_OFFS : IB_PC_DATA_OFFS;
  std::copy_n(mad + begin, IB_SMP_DATA_SIZE, answer.data->begin());
  return answer;
}

}  // namespace espalier::live
