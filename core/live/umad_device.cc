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
tl::unexpected<Error> cannot_open(const Outlook& outlook, int result, int system_error) {
  if (result == -EIO && (system_error == EACCES || system_error == EPERM))
    return fail_at(outlook.text(), 0,
                   fmt::format("may not open /dev/infiniband/umad*: {}", std::strerror(system_error)),
                   "run as root, or give yourself rights on /dev/infiniband/umad*");
  if (result == -EIO)
    return fail_at(outlook.text(), 0, fmt::format("cannot open /dev/infiniband/umad*: {}", std::strerror(system_error)),
                   "load the module that makes it: modprobe ib_umad");
  return fail_at(
      outlook.text(), 0, "there is no InfiniBand port that takes management packets",
      "ibstat lists the ports for --ca and --port; if it lists them, load the missing module: modprobe ib_umad");
}

}  // namespace

std::string Outlook::text() const {
  std::string where;
  if (!ca.empty()) where += ca;
  if (port > 0) where += fmt::format("{}port {}", where.empty() ? "" : " ", port);
  return where.empty() ? "the live subnet" : fmt::format("the live subnet ({})", where);
}

Result<UmadDevice> UmadDevice::open(const Outlook& outlook) {
  if (umad_init() < 0) return cannot_open(outlook, -ENODEV, errno);
  errno = 0;
  const int fd = umad_open_port(outlook.ca.empty() ? nullptr : outlook.ca.c_str(), outlook.port);
  if (fd < 0) return cannot_open(outlook, fd, errno);
  UmadDevice device(fd, umad_register(fd, IB_SMI_DIRECT_CLASS, 1, 0, nullptr), outlook.timeout_ms);
  if (device.agent_ < 0)
    return fail_at(outlook.text(), 0,
                   fmt::format("the kernel takes no directed-route packets: {}", std::strerror(errno)),
                   "use a port of an InfiniBand adapter; ibstat shows its link layer");
  return device;
}

UmadDevice::~UmadDevice() {
  if (fd_ < 0) return;
  if (agent_ >= 0) umad_unregister(fd_, agent_);
  umad_close_port(fd_);
}

UmadDevice::UmadDevice(UmadDevice&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), agent_(other.agent_), timeout_ms_(other.timeout_ms_) {}

Status UmadDevice::ask(const DirectedRoute& route, unsigned attribute, unsigned modifier, std::uint32_t ticket) {
  ib_portid_t to{};
  to.drpath.cnt = route.hops;
  std::copy(route.ports.begin(), route.ports.end(), to.drpath.p);
  ib_rpc_t question{};
  question.mgtclass = IB_SMI_DIRECT_CLASS;
  question.method = IB_MAD_METHOD_GET;
  question.attr = {attribute, modifier};
  question.timeout = timeout_ms_;
  question.dataoffs = IB_SMP_DATA_OFFS;
  question.datasz = IB_SMP_DATA_SIZE;
  question.trid = ticket;
  Packet packet;
  if (mad_build_pkt(packet.get(), &question, &to, nullptr, nullptr) < 0 ||
      umad_send(fd_, agent_, packet.get(), IB_MAD_SIZE, timeout_ms_, kAttempts - 1) < 0)
    return fail(fmt::format("cannot send a management packet: {}", std::strerror(errno)));
  return {};
}

Result<UmadDevice::Answer> UmadDevice::receive() {
  Packet packet;
  int length = IB_MAD_SIZE;
  if (umad_recv(fd_, packet.get(), &length, timeout_ms_ * kAttempts + kSlackMs) < 0)
    return fail(fmt::format("the device gives no answer any more: {}", std::strerror(errno)), "try again");
  auto* const mad = static_cast<std::uint8_t*>(umad_get_mad(packet.get()));
  Answer answer;
  answer.ticket = static_cast<std::uint32_t>(mad_get_field64(mad, 0, IB_MAD_TRID_F));
  if (umad_status(packet.get()) != 0 || mad_get_field(mad, 0, IB_DRSMP_STATUS_F) != 0) return answer;
  answer.data.emplace();
  std::copy_n(mad + IB_SMP_DATA_OFFS, IB_SMP_DATA_SIZE, answer.data->begin());
  return answer;
}

}  // namespace espalier::live
