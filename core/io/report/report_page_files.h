// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The text files that the report page is made of. CMake turns them into a source file, so that they can be edited as
// what they are.
#pragma once

#include <string_view>

namespace espalier {

extern const std::string_view kReportHtml;    // report_page.html, with @STYLE@, @DATA@ and @SCRIPT@ in this order
extern const std::string_view kReportStyle;   // report_page.css
extern const std::string_view kReportScript;  // report_page.js

}  // namespace espalier
