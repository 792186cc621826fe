// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/live/live_subnet.h"

#include <memory>

#include "core/live/discovered.h"
#include "core/live/umad_device.h"

namespace espalier::live {

Result<LiveSubnet> discover(const LocalPort& local_port) {
  // libibnetdisc would say no more than that it failed.
  if (const Result<UmadDevice> device = UmadDevice::open(local_port); !device) return tl::unexpected(device.error());

  ibnd_config_t config{};
  config.timeout_ms = static_cast<unsigned>(local_port.timeout_ms);
  config.retries = kAttempts - 1;
  config.max_smps = kQuestionsAtOnce;
  config.flags = IBND_CONFIG_MLX_EPI;  // FDR10
  std::string ca = local_port.ca;
  const std::unique_ptr<ibnd_fabric_t, void (*)(ibnd_fabric_t*)> discovered(
      ibnd_discover_fabric(ca.empty() ? nullptr : ca.data(), local_port.port, nullptr, &config), ibnd_destroy_fabric);
  if (!discovered)
    return fail_at(local_port.text(), 0, "the discovery was aborted", "see the lines above, and try again");

  Result<LiveSubnet> subnet = subnet_of(*discovered);
  if (!subnet) {
    subnet.error().file = local_port.text();
    return subnet;
  }
  if (subnet->fabric.num_switches() == 0)
    return fail_at(local_port.text(), 0, "no switch answers at this port", "ibstat shows whether its link is up");
  return subnet;
}

}  // namespace espalier::live
