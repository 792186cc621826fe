// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What people read. Text that somebody else wrote (a NodeDescription is 64 bytes of its owner's choice; so are a line
// of a file and its name), made harmless for where it goes. The one rule: kept byte for byte in tables and net files,
// which programs compare; escaped here for everything that a person or a browser, a shell or a spreadsheet looks at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace espalier {

// A number and what it counts: "1 link", "2 links"; with `many` where an s is not enough: "1 switch", "0 switches".
[[nodiscard]] std::string counted(std::uint64_t n, std::string_view one, std::string_view many = {});

// Names one after another, the first `most` of them: "A, B and 3 more".
[[nodiscard]] std::string listed(const std::vector<std::string>& names, std::size_t most);

// For logs and terminals, on one line: control characters (also U+0080 to U+009F, which terminals obey, and the line
// separators), directional overrides and bytes that are not UTF-8 become "\xNN" for each byte. Idempotent.
[[nodiscard]] std::string printable(std::string_view text);

// For text between HTML or XML tags or in their attributes: printable(), and & < > " ' become entities.
[[nodiscard]] std::string markup_text(std::string_view text);

// A CSV cell (RFC 4180), always in quotes: printable(), and what a spreadsheet would compute (= + - @ at the beginning)
// gets an apostrophe in front, which spreadsheets take as "this is text".
[[nodiscard]] std::string csv_cell(std::string_view text);

// JSON that was written without regard to terminals: control characters that JSON permits in strings (U+007F to U+009F)
// become \uNNNN. REQUIRES: valid UTF-8.
[[nodiscard]] std::string without_raw_controls(std::string_view json);

}  // namespace espalier
