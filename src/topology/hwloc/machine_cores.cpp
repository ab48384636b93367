// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/hwloc/machine_cores.hpp"

#include <hwloc.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

namespace starling::topology {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

struct BitmapDeleter {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapDeleter>;

/// While it lives hwloc finds none of its plugins. It would open all of them, with the libraries that they need, for
/// devices and XML, and that takes ten times as long as the rest.
class WithoutPlugins {
 public:
  WithoutPlugins() {
    if (const char* path = std::getenv(kVariable)) before_ = path;
    setenv(kVariable, "/nonexistent", 1);
  }
  ~WithoutPlugins() { before_ ? setenv(kVariable, before_->c_str(), 1) : unsetenv(kVariable); }
  WithoutPlugins(const WithoutPlugins&) = delete;
  WithoutPlugins& operator=(const WithoutPlugins&) = delete;

 private:
  static constexpr const char* kVariable = "HWLOC_PLUGINS_PATH";
  std::optional<std::string> before_;
};

/// Only what binding asks for: devices and small caches would take most of the time.
Topology load() {
  hwloc_topology_t raw = nullptr;
  const WithoutPlugins without;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  // What the kernel says, as a rank reads it, and not what the processor says: on virtual machines that is often wrong.
  hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const hwloc_obj_type_t type :
       {HWLOC_OBJ_CORE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_PU}) {
    hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  }
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

unsigned containing(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t core) {
  if (type == HWLOC_OBJ_NUMANODE) {
    const int node = core->nodeset ? hwloc_bitmap_first(core->nodeset) : -1;
    return node < 0 ? 0 : static_cast<unsigned>(node);
  }
  const hwloc_obj_t ancestor = hwloc_get_ancestor_obj_by_type(topology, type, core);
  return ancestor ? ancestor->logical_index : 0;
}

std::vector<Core> usable(hwloc_topology_t topology, hwloc_const_bitmap_t mask) {
  // A machine that does not tell its cores has hardware threads at least.
  const bool has_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
  const hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  std::vector<Core> cores;
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object));) {
    Core core;
    for (int thread = -1; (thread = hwloc_bitmap_next(object->cpuset, thread)) >= 0;) {
      if (hwloc_bitmap_isset(mask, static_cast<unsigned>(thread)))
        core.threads.push_back(static_cast<unsigned>(thread));
    }
    if (core.threads.empty()) continue;
    core.l3 = containing(topology, HWLOC_OBJ_L3CACHE, object);
    core.numa = containing(topology, HWLOC_OBJ_NUMANODE, object);
    core.package = containing(topology, HWLOC_OBJ_PACKAGE, object);
    cores.push_back(std::move(core));
  }
  return cores;
}

}  // namespace

Result<std::vector<Core>> machine_cores() {
  const Topology topology = load();
  const Bitmap mask(hwloc_bitmap_alloc());
  if (!topology || !mask) {
    return Status::error(ErrorClass::kOther, "hwloc cannot read this machine's cores; use --bind-to none");
  }
  if (hwloc_get_cpubind(topology.get(), mask.get(), HWLOC_CPUBIND_PROCESS) != 0) hwloc_bitmap_fill(mask.get());
  return usable(topology.get(), mask.get());
}

}  // namespace starling::topology
