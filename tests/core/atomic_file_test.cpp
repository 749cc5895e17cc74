#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/io/mutate.h"

namespace prehend {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("atomic_file_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }
  int file_count() const {
    return static_cast<int>(std::distance(fs::directory_iterator(folder_), {}));
  }
  fs::path folder_;
};

TEST_F(AtomicFile, ReadsBackWhatWasWritten) {
  const std::string bytes("a\0b\r\n\xff", 6);
  ASSERT_TRUE(write_file(in_folder("x.bin"), bytes).ok());
  const auto read = read_file(in_folder("x.bin"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, bytes);
  EXPECT_EQ(file_count(), 1);
}

TEST_F(AtomicFile, ReplacesAnOlderFile) {
  ASSERT_TRUE(write_file(in_folder("x"), "a long first version").ok());
  ASSERT_TRUE(write_file(in_folder("x"), "second").ok());
  EXPECT_EQ(*read_file(in_folder("x")), "second");
}

TEST_F(AtomicFile, NamesTheMissingFolder) {
  const auto status = write_file(in_folder("no/x.glb"), "x");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(), "cannot write " + in_folder("no/x.glb") + ": folder " +
                                  in_folder("no") + " does not exist");
}

TEST_F(AtomicFile, RefusesAFolderAsTarget) {
  EXPECT_NE(write_file(folder_.string(), "x").message().find("it is a folder"), std::string::npos);
  EXPECT_NE(write_file(in_folder(""), "x").message().find("it is a folder"), std::string::npos);
}

TEST_F(AtomicFile, RefusesAPipeAsTarget) {
  ASSERT_EQ(::mkfifo(in_folder("pipe.glb").c_str(), 0600), 0);
  EXPECT_NE(write_file(in_folder("pipe.glb"), "x").message().find("pipe"), std::string::npos);
  EXPECT_TRUE(fs::is_fifo(in_folder("pipe.glb")));
}

TEST_F(AtomicFile, LeavesNothingBehindWithoutCommit) {
  ASSERT_TRUE(write_file(in_folder("film.mp4"), "old").ok());
  {
    auto file = PendingFile::create(in_folder("film.mp4"));
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file_ending(file->temporary_path()), ".mp4");
    std::ofstream(file->temporary_path()) << "half";
    EXPECT_EQ(file_count(), 2);
  }
  EXPECT_EQ(file_count(), 1);
  EXPECT_EQ(*read_file(in_folder("film.mp4")), "old");
}

TEST_F(AtomicFile, TemporaryNamesCannotBeGuessed) {
  const auto first = PendingFile::create(in_folder("x.glb"));
  const auto second = PendingFile::create(in_folder("x.glb"));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(first->temporary_path(), second->temporary_path());
  EXPECT_EQ(first->temporary_path().find(fmt::format(".{}-", ::getpid())), std::string::npos);
}

// Whoever may write to the folder could swap the temporary file for a link.
TEST_F(AtomicFile, NeverWritesThroughALink) {
  ASSERT_TRUE(write_file(in_folder("victim"), "precious").ok());
  auto file = PendingFile::create(in_folder("x.glb"));
  ASSERT_TRUE(file.ok());
  fs::remove(file->temporary_path());
  fs::create_symlink("victim", file->temporary_path());
  EXPECT_FALSE(file->write("other").ok());
  EXPECT_EQ(*read_file(in_folder("victim")), "precious");
}

TEST_F(AtomicFile, TakesNamesAsLongAsTheFileSystemDoes) {
  const std::string name = std::string(251, 'n') + ".glb";
  ASSERT_TRUE(write_file(in_folder(name), "x").ok());
  EXPECT_EQ(*read_file(in_folder(name)), "x");
  EXPECT_NE(write_file(in_folder("n" + name), "x").message().find("too long"), std::string::npos);
  EXPECT_EQ(file_count(), 1);
}

TEST_F(AtomicFile, AbandonedFilesAreGoneAtOnce) {
  ASSERT_TRUE(write_file(in_folder("film.mp4"), "old").ok());
  auto file = PendingFile::create(in_folder("film.mp4"));
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->write("half").ok());
  abandon_pending_files();
  EXPECT_EQ(file_count(), 1);
  EXPECT_FALSE(file->commit().ok());
  EXPECT_EQ(*read_file(in_folder("film.mp4")), "old");
}

TEST_F(AtomicFile, SendsNoEscapesToTheTerminal) {
  const auto status = write_file(in_folder("\x1b[2J/x.glb"), "x");
  EXPECT_EQ(status.message().find('\x1b'), std::string::npos) << status.message();
}

TEST_F(AtomicFile, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(read_file(in_folder("none")).message(),
            "cannot read " + in_folder("none") + ": it does not exist");
  EXPECT_EQ(read_file(folder_.string()).message(),
            "cannot read " + folder_.string() + ": it is a folder");
  ASSERT_TRUE(write_file(in_folder("empty"), "").ok());
  EXPECT_EQ(read_file(in_folder("empty")).message(),
            "cannot read " + in_folder("empty") + ": it is empty");
  ASSERT_TRUE(write_file(in_folder("big"), std::string(100, 'x')).ok());
  EXPECT_FALSE(read_file(in_folder("big"), 99).ok());
  EXPECT_TRUE(read_file(in_folder("big"), 100).ok());
  EXPECT_FALSE(read_file("/dev/zero", 1 << 20).ok());
}

TEST(Printable, NeverBreaksTheLine) {
  EXPECT_EQ(printable("a\nb\xffz"), "a?b?z");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
}

TEST(Mutate, MakesTheSameFilesFromTheSameSeed) {
  const std::string good = "HIERARCHY\nROOT hips 1.5\n";
  int different = 0;
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(io::testing::mutation(good, i, 7).bytes, io::testing::mutation(good, i, 7).bytes);
    different += io::testing::mutation(good, i, 7).bytes != io::testing::mutation(good, i, 8).bytes;
  }
  EXPECT_GT(different, 40);
}

}  // namespace
}  // namespace prehend
