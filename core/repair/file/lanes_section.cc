// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/file/lanes_section.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/base/try.h"

namespace espalier {
namespace {

constexpr std::size_t kClassesOfLid = 8;        // bytes
constexpr std::size_t kVlsBySl = kNumSls / 2;   // bytes, packed
constexpr std::size_t kMaxPortClasses = 0x100;  // a port's class is one byte

class Packer {
 public:
  explicit Packer(ReferenceWriter& out) : out_(out) {}
  void put(std::uint8_t number) {
    if (is_half_) out_.put(static_cast<std::uint8_t>(half_ | number << 4));
    half_ = number;
    is_half_ = !is_half_;
  }
  void finish() {
    if (is_half_) put(0);
  }

 private:
  ReferenceWriter& out_;
  std::uint8_t half_ = 0;
  bool is_half_ = false;
};

std::uint8_t packed_at(std::string_view bytes, std::size_t i) {
  return static_cast<std::uint8_t>(static_cast<unsigned char>(bytes[i / 2]) >> 4 * (i % 2) & 0xF);
}

void put_levels(ReferenceWriter& out, const Fabric& fabric, const ServiceLevels& levels) {
  out.put(static_cast<std::uint32_t>(levels.num_sources()));
  out.put(static_cast<std::uint32_t>(levels.num_destinations()));
  for (std::size_t i = 0; i <= index(fabric.top_lid()); ++i) {
    out.put(levels.source_class(id_at<Lid>(i)));
    out.put(levels.destination_class(id_at<Lid>(i)));
  }
  Packer packer(out);
  for (std::uint32_t s = 0; s < levels.num_sources(); ++s)
    for (std::uint32_t d = 0; d < levels.num_destinations(); ++d) packer.put(levels.of_classes(s, d));
  packer.finish();
}

void put_maps(ReferenceWriter& out, const Fabric& fabric, const LaneMaps& maps) {
  out.put(static_cast<std::uint32_t>(maps.num_maps()));
  for (std::size_t m = 0; m < maps.num_maps(); ++m) {
    const std::size_t classes = maps.num_classes(m);
    out.put(static_cast<std::uint16_t>(classes));
    Packer packer(out);
    for (std::size_t in = 0; in < classes; ++in)
      for (std::size_t to = 0; to < classes; ++to)
        for (const std::uint8_t vl : maps.entry(m, in, to)) packer.put(vl);
  }
  for (const SwitchId s : fabric.switches()) {
    out.put(static_cast<std::uint32_t>(maps.map_of(s)));
    for (std::size_t p = 0; p <= fabric.at(s).num_ports; ++p) out.put(maps.port_class(s, id_at<PortNum>(p)));
  }
}

Result<ServiceLevels> take_levels(ReferenceReader& in, const Fabric& fabric) {
  const std::size_t num_lids = index(fabric.top_lid()) + 1;
  const std::uint64_t sources = in.take<std::uint32_t>();
  const std::uint64_t destinations = in.take<std::uint32_t>();
  if (sources == 0 || destinations == 0) return fail("its service levels have no classes");
  const std::uint64_t size = (sources * destinations + 1) / 2;  // cannot wrap: both have 32 bits
  if (in.left() < kClassesOfLid * num_lids || in.left() - kClassesOfLid * num_lids < size)
    return fail("its classes of service levels exceed its size");
  ServiceLevels levels(fabric.top_lid(), sources, destinations);
  for (std::size_t i = 0; i < num_lids; ++i) {
    const auto source = in.take<std::uint32_t>();
    const auto destination = in.take<std::uint32_t>();
    if (source >= sources || destination >= destinations) return fail(fmt::format("its LID {} has no such class", i));
    levels.set_source_class(id_at<Lid>(i), source);
    levels.set_destination_class(id_at<Lid>(i), destination);
  }
  const std::string_view packed = in.take_bytes(size);
  std::size_t next = 0;
  for (std::uint32_t s = 0; s < sources; ++s)
    for (std::uint32_t d = 0; d < destinations; ++d) levels.set(s, d, packed_at(packed, next++));
  if (next % 2 != 0 && packed_at(packed, next) != 0) return fail("its service levels do not end where they should");
  return levels;
}

Status take_map(ReferenceReader& in, std::size_t number, LaneMaps& maps) {
  const std::size_t classes = in.take<std::uint16_t>();
  if (classes == 0 || classes > kMaxPortClasses) return fail(fmt::format("its lane map {} is invalid", number));
  if (in.left() < kVlsBySl * classes * classes) return fail(fmt::format("its lane map {} exceeds its size", number));
  const std::size_t map = maps.add_map(classes);
  for (std::size_t from = 0; from < classes; ++from)
    for (std::size_t to = 0; to < classes; ++to) {
      const std::string_view packed = in.take_bytes(kVlsBySl);
      VlsBySl& vls = maps.entry(map, from, to);
      for (std::size_t sl = 0; sl < kNumSls; ++sl) vls[sl] = packed_at(packed, sl);
    }
  return {};
}

Result<LaneMaps> take_maps(ReferenceReader& in, const Fabric& fabric) {
  const std::size_t count = in.take<std::uint32_t>();
  if (count == 0) return fail("it has no lane maps");
  LaneMaps maps(fabric);
  for (std::size_t m = 0; m < count; ++m) ESPALIER_TRY_STATUS(take_map(in, m, maps));
  for (const SwitchId s : fabric.switches()) {
    const auto map = in.take<std::uint32_t>();
    if (in.left() <= fabric.at(s).num_ports) return fail("it ends within its lanes");
    if (map >= count) return fail(fmt::format("its switch {} has no such lane map", index(s)));
    maps.use_map(s, map);
    for (std::size_t p = 0; p <= fabric.at(s).num_ports; ++p) {
      const auto port_class = in.take<std::uint8_t>();
      if (port_class >= maps.num_classes(map))
        return fail(fmt::format("port {} of its switch {} has no such class", p, index(s)));
      maps.set_port_class(s, id_at<PortNum>(p), port_class);
    }
  }
  return maps;
}

}  // namespace

void put_lanes(ReferenceWriter& out, const Fabric& fabric, const Lanes& lanes) {
  put_levels(out, fabric, lanes.levels());
  put_maps(out, fabric, lanes.maps());
}

Result<Lanes> take_lanes(ReferenceReader& in, const Fabric& fabric) {
  ESPALIER_TRY(ServiceLevels levels, take_levels(in, fabric));
  ESPALIER_TRY(LaneMaps maps, take_maps(in, fabric));
  if (in.left() > 0) return fail("something follows its lanes");
  return Lanes(std::move(levels), std::move(maps));
}

}  // namespace espalier
