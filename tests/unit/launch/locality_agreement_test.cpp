// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The launcher binds by what hwloc says of the machine, and a rank reads where it is from the kernel itself: the two
// must see the same machine.
#include <gtest/gtest.h>
#include <link.h>

#include <cstdlib>

#include "topology/hwloc/machine_cores.hpp"
#include "topology/locality.hpp"

namespace starling::topology {
namespace {

/// Libraries that this process has loaded so far, those included that it has closed.
unsigned long long libraries_loaded() {
  unsigned long long loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* result) {
        *static_cast<unsigned long long*>(result) = info->dlpi_adds;
        return 1;
      },
      &loaded);
  return loaded;
}

TEST(MachineCores, AreReadWithoutHwlocsPlugins) {
  setenv("HWLOC_PLUGINS_PATH", "/a/path/of/the/user", 1);
  const unsigned long long before = libraries_loaded();
  ASSERT_TRUE(machine_cores().ok());
  EXPECT_EQ(libraries_loaded(), before);
  EXPECT_STREQ(std::getenv("HWLOC_PLUGINS_PATH"), "/a/path/of/the/user");
  unsetenv("HWLOC_PLUGINS_PATH");
  ASSERT_TRUE(machine_cores().ok());
  EXPECT_EQ(libraries_loaded(), before) << "plugins of the usual folder were loaded";
  EXPECT_EQ(std::getenv("HWLOC_PLUGINS_PATH"), nullptr);
}

TEST(LocalityOfARank, AgreesWithHwlocOnWhatCoresShare) {
  const Result<std::vector<Core>> cores = machine_cores();
  ASSERT_TRUE(cores.ok());
  std::vector<Locality> ours;
  for (const Core& core : cores.value()) ours.push_back(internal::locality_of(core.threads, "/sys/devices/system"));
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const Core& a = cores.value()[i];
    for (std::size_t j = 0; j < i; ++j) {
      const Core& b = cores.value()[j];
      EXPECT_EQ(a.l3 == b.l3, ours[i].at(Level::kL3) == ours[j].at(Level::kL3)) << i << " and " << j;
      EXPECT_EQ(a.numa == b.numa, ours[i].at(Level::kNuma) == ours[j].at(Level::kNuma)) << i << " and " << j;
      EXPECT_EQ(a.package == b.package, ours[i].at(Level::kPackage) == ours[j].at(Level::kPackage))
          << i << " and " << j;
    }
  }
}

}  // namespace
}  // namespace starling::topology
