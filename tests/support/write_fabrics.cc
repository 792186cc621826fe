// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Writes the drawn fabrics as ibsim net files: write_fabrics FOLDER. tests/fabrics/ holds what it wrote last, for the
// scripts that start ibsim; tests/tools/fabric_files_test.cc notices when that is out of date.
#include <cstdio>
#include <string>

#include "core/io/file.h"
#include "core/io/net/net_writer.h"
#include "tests/support/fabrics.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_fabrics FOLDER\n", stderr);
    return 2;
  }
  for (const auto& [name, fabric] : espalier::test::all_drawn_fabrics()) {
    const auto path = std::string(argv[1]).append("/").append(name).append(".net");
    if (const espalier::Status ok = espalier::write_file(path, espalier::write_net(fabric)); !ok) {
      std::fprintf(stderr, "write_fabrics: %s\n", ok.error().text().c_str());
      return 1;
    }
  }
  return 0;
}
