#include "prehend/io/page.h"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/base64.h"
#include "prehend/core/atomic_file.h"
#include "prehend/io/glb.h"

extern "C" {
extern const unsigned char prehend_player_html[];
extern const std::uint64_t prehend_player_html_size;
}

namespace prehend::io {
namespace {

std::string html_escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// JSON that may stand inside a script element: no "</script" can appear in it.
std::string script_json(const nlohmann::json& json) {
  std::string text = json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace

Status write_page(const Clip& clip, const std::string& path, const PageOptions& options) {
  const auto glb = encode_glb(clip, {.marks = options.marks});
  if (!glb) return Error{fmt::format("cannot write {}: {}", path, glb.message())};
  const std::string title = !options.title.empty() ? options.title
                            : clip.name.empty()    ? "Clip"
                                                   : clip.name;
  nlohmann::json settings = {{"title", title}, {"autoplay", options.autoplay}};
  if (!options.theme.empty()) settings["theme"] = options.theme;

  // The marks stand in the page in this order, before any script.
  const std::pair<std::string_view, std::string> fillings[] = {
      {"PREHEND_TITLE", html_escaped(title)},
      {"PREHEND_OPTIONS", script_json(settings)},
      {"PREHEND_CLIP", base64(*glb)}};
  std::string_view rest(reinterpret_cast<const char*>(prehend_player_html),
                        prehend_player_html_size);
  std::string page;
  page.reserve(rest.size() + fillings[2].second.size() + 1000);
  for (const auto& [mark, filling] : fillings) {
    const std::size_t at = rest.find(mark);
    PREHEND_ASSERT(at != std::string_view::npos);
    page += rest.substr(0, at);
    page += filling;
    rest.remove_prefix(at + mark.size());
  }
  page += rest;
  return write_file(path, page);
}

}  // namespace prehend::io
