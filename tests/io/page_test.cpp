#include "prehend/io/page.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include "prehend/core/atomic_file.h"
#include "prehend/io/glb.h"
#include "tests/io/test_clip.h"

namespace prehend::io {
namespace {

class Page : public ::testing::Test {
 protected:
  std::string path_ = (std::filesystem::temp_directory_path() /
                       ("prehend_page_test_" + std::to_string(::getpid()) + ".html"))
                          .string();
  ~Page() override { std::filesystem::remove(path_); }

  std::string between(const std::string& text, const std::string& from, const std::string& to) {
    const auto first = text.find(from);
    if (first == std::string::npos) return "no " + from;
    const auto begin = first + from.size();
    return text.substr(begin, text.find(to, begin) - begin);
  }
};

std::string decoded(const std::string& base64) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (char c : base64) {
    if (c == '=') break;
    const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                                             : 63;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 255);
    }
  }
  return bytes;
}

TEST_F(Page, HoldsTheClipsGlb) {
  // Lengths of all remainders by three.
  for (int frames : {1, 2, 3}) {
    const Clip clip = testing::test_clip(frames);
    ASSERT_TRUE(write_page(clip, path_).ok());
    const std::string page = *read_file(path_);
    const std::string data =
        between(page, "type=\"application/octet-stream;base64\">", "</script>");
    EXPECT_EQ(decoded(data), *encode_glb(clip));
  }
}

TEST_F(Page, MarksTravelInItsGlb) {
  const Clip clip = testing::test_clip();
  PageOptions options;
  options.marks = {{"limits", 0, 1, 1, "a joint", std::nullopt}};
  ASSERT_TRUE(write_page(clip, path_, options).ok());
  const std::string data =
      between(*read_file(path_), "type=\"application/octet-stream;base64\">", "</script>");
  EXPECT_EQ(decoded(data), *encode_glb(clip, {.marks = options.marks}));
}

TEST_F(Page, IsOneFileWithoutTheNetwork) {
  ASSERT_TRUE(write_page(testing::test_clip(), path_).ok());
  const std::string page = *read_file(path_);
  EXPECT_EQ(page.find(" src=\""), std::string::npos);
  EXPECT_EQ(page.find("rel=\"stylesheet\""), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
}

TEST_F(Page, TitlesCannotBreakOut) {
  PageOptions options;
  options.title = "</script><script>alert(1)</script> & \"x\"";
  ASSERT_TRUE(write_page(testing::test_clip(), path_, options).ok());
  const std::string page = *read_file(path_);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(between(page, "<title>", "</title>"),
            "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; \"x\"");
}

TEST_F(Page, UnwritablePlacesAreOneLine) {
  const Status status = write_page(testing::test_clip(), "no/such/folder/page.html");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace prehend::io
