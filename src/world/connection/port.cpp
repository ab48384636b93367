// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/connection/port.hpp"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>

#include "base/format.hpp"
#include "memory/doorbell.hpp"
#include "memory/shared_file.hpp"
#include "progress/engine.hpp"
#include "world/connection/job_connection.hpp"

namespace starling::world {

/// What the page holds. `holder` is the process that fills the offer, 0 when the page is free, and the offer is valid
/// when state says so.
struct PortPage {
  static constexpr std::uint64_t kMagic = 0x54524f50474e4c53;
  static constexpr std::uint64_t kLayout = 2;  ///< counted up with each change of the page
  enum OfferState : std::uint32_t { kFree, kOffered };

  // Every version has these three here.
  std::uint64_t magic = kMagic;
  std::uint64_t id = 0;
  std::uint64_t layout = kLayout;
  std::atomic<std::uint32_t> closed{0};
  std::atomic<std::uint32_t> state{kFree};
  std::atomic<std::int32_t> holder{0};
  bootstrap::SegmentAddress offer;
  memory::Doorbell bell;  ///< of all processes that wait at the port
};
static_assert(sizeof(PortPage) == 2 * kCacheLine && sizeof(bootstrap::SegmentAddress) == 16);

namespace {

constexpr std::string_view kPrefix = "starling-port:";

Status no_port(const std::string& name, const std::string& why) {
  return Status::error(ErrorClass::kPort, formatted("there is no port \"{}\": {}", name, why));
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "localhost";
}

/// The name of a port, taken apart.
struct PortName {
  explicit PortName(std::string_view name)
      : address(name.starts_with(kPrefix) ? name.substr(kPrefix.size(), name.find('@') - kPrefix.size()) : ""),
        host(between(name, '@', '#')),
        door(between(name, '#', '\0')) {}

  [[nodiscard]] bool is_of_other_host() const { return !host.empty() && host != host_name(); }

  std::string_view address;
  std::string_view host;  ///< on which the port was opened
  std::string_view door;  ///< empty: there is none

 private:
  static std::string_view between(std::string_view text, char before, char behind) {
    const std::size_t begin = text.find(before);
    if (begin >= text.size()) return {};
    text.remove_prefix(begin + 1);
    return text.substr(0, text.find(behind));
  }
};

/// The process of a port cannot be found, or has closed it: on another host nobody finds it.
Status not_there(const std::string& name, const std::string& why) {
  const PortName parts(name);
  if (!parts.is_of_other_host()) return no_port(name, why);
  return Status::error(
      ErrorClass::kUnsupportedOperation,
      formatted("the port \"{}\" is of host {} and this process is on host {}, and the port was opened "
                "where no network was; let a process of host {} connect",
                name, parts.host, host_name(), parts.host));
}

Status port_closed() { return Status::error(ErrorClass::kPort, "the port has been closed"); }

/// While it lives, this process sleeps on the port's bell too.
class Listening {
 public:
  Listening(progress::Engine& progress, memory::Doorbell& bell) : progress_(progress), bell_(bell) {
    progress_.add_bell(bell_);
  }
  ~Listening() { progress_.remove_bell(bell_); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  progress::Engine& progress_;
  memory::Doorbell& bell_;
};

bool is_gone(std::int32_t pid) { return pid != 0 && kill(pid, 0) != 0 && errno == ESRCH; }

void ring(PortPage& page) noexcept { memory::ring(page.bell, true); }

/// Takes the page for this process when it is free, or its holder died before it had made an offer.
bool hold(PortPage& page) {
  std::int32_t holder = 0;
  const auto me = static_cast<std::int32_t>(getpid());
  if (page.holder.compare_exchange_strong(holder, me, std::memory_order_acquire)) return true;
  if (holder == me || !is_gone(holder)) return false;
  if (!page.holder.compare_exchange_strong(holder, me, std::memory_order_acquire)) return false;
  page.state.store(PortPage::kFree, std::memory_order_relaxed);
  return true;
}

}  // namespace

Result<std::unique_ptr<Port>> Port::map(memory::KeptFile file) {
  void* memory = mmap(nullptr, sizeof(PortPage), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) {
    return Status::error(ErrorClass::kNoMem,
                         std::string("the memory of a port cannot be mapped: ") + std::strerror(errno));
  }
  return std::unique_ptr<Port>(new Port(std::move(file), static_cast<PortPage*>(memory)));
}

Result<std::unique_ptr<Port>> Port::make(std::unique_ptr<PortDoor> door) {
  memory::KeptFile file(memory::open_unnamed_file("starling-port"));
  if (!file.valid() || !memory::resize_file(file.number(), sizeof(PortPage))) {
    return Status::error(ErrorClass::kNoMem, std::string("there is no memory for a port: ") + std::strerror(errno));
  }
  Result<std::unique_ptr<Port>> port = map(std::move(file));
  if (!port.ok()) return port;
  auto* page = new (port.value()->page_) PortPage;
  [[maybe_unused]] const ssize_t drawn = getrandom(&page->id, sizeof page->id, 0);
  port.value()->door_ = std::move(door);
  port.value()->set_name();
  return port;
}

Result<std::unique_ptr<Port>> Port::open(const std::string& name) {
  if (!name.starts_with(kPrefix)) return no_port(name, "the name of a port comes from MPI_Open_port");
  Result<bootstrap::SegmentAddress> address = bootstrap::SegmentAddress::parse(PortName(name).address);
  if (!address.ok()) return no_port(name, address.status().message());
  Descriptor file = bootstrap::open_descriptor_of(address.value().pid, address.value().descriptor);
  struct stat info {};
  if (!file.valid()) {
    return not_there(name, formatted("its process is gone or has closed it: {}", std::strerror(errno)));
  }
  std::uint64_t start[3] = {};  // magic, id and layout
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
      pread(file.get(), start, sizeof start, 0) != static_cast<ssize_t>(sizeof start) || start[0] != PortPage::kMagic ||
      start[1] != address.value().id) {
    return not_there(name, "its process has closed it");
  }
  if (start[2] != PortPage::kLayout || info.st_size != static_cast<off_t>(sizeof(PortPage))) {
    return no_port(name, "its process runs another build of Starling, whose ports have another layout");
  }
  Result<std::unique_ptr<Port>> port = map(memory::KeptFile(file.release()));
  if (!port.ok()) return port;
  const PortPage& page = *port.value()->page_;
  if (page.closed.load(std::memory_order_acquire) != 0) return port_closed();
  return port;
}

Port::~Port() { munmap(page_, sizeof(PortPage)); }

void Port::set_name() {
  const bootstrap::SegmentAddress address{static_cast<std::int32_t>(getpid()), file_.number(), page_->id};
  name_ = formatted("{}{}@{}", kPrefix, address.text(), host_name());
  if (door_ && !door_->name().addresses.empty()) name_ += '#' + door_->name().text();
}

void Port::close() noexcept {
  door_.reset();
  page_->closed.store(1, std::memory_order_release);
  ring(*page_);
}

Result<std::string> Ports::open(const config::Store& config) {
  // Without a network the port is there for this host.
  Result<std::unique_ptr<PortDoor>> door = PortDoor::open(config);
  Result<std::unique_ptr<Port>> port = Port::make(door.ok() ? std::move(door).value() : nullptr);
  if (!port.ok()) return std::move(port).status();
  open_.push_back(std::move(port).value());
  return open_.back()->name();
}

Status Ports::close(const std::string& name) {
  for (auto port = open_.begin(); port != open_.end(); ++port) {
    if ((*port)->name() != name) continue;
    (*port)->close();
    open_.erase(port);
    return {};
  }
  return no_port(name, "this process has opened no port of that name");
}

PortDoor* Ports::door_of(const std::string& name) const noexcept {
  for (const std::unique_ptr<Port>& port : open_) {
    if (port->name() == name) return port->door();
  }
  return nullptr;
}

Result<std::optional<DoorName>> far_door_of(const std::string& name) {
  Result<std::unique_ptr<Port>> near = Port::open(name);
  if (near.ok()) return std::optional<DoorName>();
  std::optional<DoorName> door = DoorName::parse(PortName(name).door);
  if (door && name.starts_with(kPrefix)) return door;
  return std::move(near).status();
}

Result<PortCall> wait_at_port(progress::Engine& progress, const std::string& name, PortDoor* door) {
  Result<std::unique_ptr<Port>> port = Port::open(name);
  if (!port.ok()) return std::move(port).status();
  PortPage& page = port.value()->page();
  const Listening listening(progress, page.bell);
  const AtDoor at_door(progress, door);
  PortCall call;
  bool taken = false;
  const auto take = [&] {
    std::uint32_t offered = PortPage::kOffered;
    return page.state.compare_exchange_strong(offered, PortPage::kFree, std::memory_order_acquire);
  };
  const auto settled = [&] {
    if (taken || call.far || page.closed.load(std::memory_order_acquire) != 0) return true;
    taken = take();
    if (!taken && door != nullptr) call.far = door->take();
    return taken || call.far;
  };
  progress.wait(settled, [] { return observe::Wait(observe::WaitKind::kConnection); });
  if (call.far) return call;
  if (!taken) return port_closed();
  call.near = page.offer;
  page.holder.store(0, std::memory_order_release);  // for the next caller
  ring(page);
  return call;
}

Status call_port(progress::Engine& progress, const std::string& name, JobConnection& connection) {
  Result<std::unique_ptr<Port>> port = Port::open(name);
  if (!port.ok()) return std::move(port).status();
  PortPage& page = port.value()->page();
  const Listening listening(progress, page.bell);
  const auto closed = [&] { return page.closed.load(std::memory_order_acquire) != 0; };
  bool held = false;
  progress.wait([&] { return closed() || held || (held = hold(page)); },
                [] { return observe::Wait(observe::WaitKind::kConnection); });
  if (!held) return port_closed();
  page.offer = connection.address();
  // release: a process that sees the offer sees the address.
  page.state.store(PortPage::kOffered, std::memory_order_release);
  ring(page);
  return connection.wait_for_all([&] { return closed() ? port_closed() : Status(); });
}

}  // namespace starling::world
