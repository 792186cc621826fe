// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What "Add an engine" in core/engines/README.md promises: one step, one line that names it, and the frame does the
// rest.
#include "tests/engines/toy_engine.h"

#include <gtest/gtest.h>

#include "core/analysis/soundness/verify.h"
#include "core/engines/up_down_engine.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

TEST(ToyEngine, RoutesEveryDrawnFabricSoundly) {
  const UpDownEngine engine("toy", UpDownEngine::Frame::kLevels, test::first_port, {});
  for (const auto& [name, fabric] : test::all_drawn_fabrics()) {
    const FatTree tree = *rank(fabric);
    const Result<Routing> routing = engine.route(tree);
    ASSERT_TRUE(routing) << name << ": " << routing.error().text();
    const VerifyReport report = verify(fabric, routing->tables);
    EXPECT_TRUE(report.ok()) << name << ": " << (report.ok() ? "" : report.violations.front().text);
  }
}

}  // namespace
}  // namespace espalier
