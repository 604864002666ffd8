/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A session in ns-3: the cores of pspsink and pspsrc, exactly as the elements
 * drive them, between UDP sockets. RTP and RTCP share a port and are real
 * bytes; payload is zeros. Time is simulated.
 *
 *   auto meter = …;                     one FlowMeter a flow
 *   SenderConfig sender;
 *   sender.controller = "damped-psp";
 *   sender.to = dumbbell.Address (0);
 *   sender.interface_rate = dumbbell.AccessRate (0);
 *   sender.meter = &meter;
 *   install_session (dumbbell, 0, sender, ReceiverConfig (),
 *       ns3::Create<GreedySource> (1360), ns3::Seconds (0));
 */
#ifndef TESTS_SIM_SESSION_H
#define TESTS_SIM_SESSION_H

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "ns3/applications-module.h"
#include "meters.h"
#include "topology.h"

extern "C"
{
#include <rtpfeedback/receiver.h>
#include <control/sender.h>
#include <rtpfeedback/rtcpfeedback.h>
#include <rtpfeedback/senderreports.h>
}

namespace sim
{

/* The wall clock for SR and the like, 32.32. */
uint64_t ntp_now ();

/* RTP, UDP and IPv4 headers of each packet, bytes. */
constexpr uint32_t RTP_HEADER = 12;
constexpr uint32_t OVERHEAD = RTP_HEADER + 8 + 20;

/* What there is to send. The sender asks whenever something may leave. */
class Source : public ns3::SimpleRefCount<Source>
{
public:
  virtual ~Source () = default;
  /* RTP payload of the packet at the head; 0 = none waits. */
  virtual uint32_t Head (ns3::Time now) = 0;
  /* The packet at the head leaves; true where it ends a frame. */
  virtual bool Take (ns3::Time now) = 0;
  /* None waits: when to ask again; Time::Max () = after a notice or feedback. */
  virtual ns3::Time Next (ns3::Time now) = 0;
  /* How many packets wait; of most it is known only whether one does. */
  virtual unsigned Waiting (ns3::Time now) { return Head (now) > 0; }
  /* What the pipeline is told (GstCongestion). */
  virtual void Notice (ns3::Time, const PspNotice &) { }
  /* The link is given up for now: what waits is stale. */
  virtual void Drop (ns3::Time) { }
};

/* Always one more packet of the same size. */
class GreedySource : public Source
{
public:
  explicit GreedySource (uint32_t payload) : m_payload (payload) { }
  uint32_t Head (ns3::Time) override { return m_payload; }
  bool Take (ns3::Time) override { return false; }
  ns3::Time Next (ns3::Time) override { return ns3::Time::Max (); }

private:
  uint32_t m_payload;
};

/* A frame every interval, cut into packets of at most max_payload; frames that
 * are not gone yet wait, in order. */
class FrameSource : public Source
{
public:
  /* Bytes of frame `index` (0 = none this time), as it comes; the scale is that
   * of the last notice, −1 where there is none. */
  using Size = std::function<uint32_t (uint64_t index, int scale)>;

  FrameSource (ns3::Time first, ns3::Time interval, uint32_t max_payload,
      Size size);
  uint32_t Head (ns3::Time now) override;
  bool Take (ns3::Time now) override;
  ns3::Time Next (ns3::Time now) override;
  void Notice (ns3::Time now, const PspNotice &notice) override;
  void Drop (ns3::Time now) override;

  int Scale () const { return m_scale; }
  /* Bytes waiting. */
  uint64_t Backlog () const;

private:
  void Produce (ns3::Time now);

  ns3::Time m_next, m_interval;
  uint32_t m_max_payload;
  Size m_size;
  uint64_t m_index = 0;
  int m_scale = -1;
  std::deque<uint32_t> m_frames;        /* bytes still to leave of each */
};

/* Packets as a real stream had them: each when it came, of the size it had. A
 * line each in the file: seconds since the first came, bytes of RTP, its header
 * included. */
class TraceSource : public Source
{
public:
  explicit TraceSource (const std::string &path);
  uint32_t Head (ns3::Time now) override;
  bool Take (ns3::Time now) override;
  ns3::Time Next (ns3::Time now) override;

private:
  struct Entry { ns3::Time at; uint32_t payload; };

  std::vector<Entry> m_packets;
  size_t m_next = 0;
};

struct SenderConfig
{
  std::string controller = "damped-psp";        /* a name, unless klass */
  const PspControllerClass *klass = nullptr;    /* for tests' own */
  PspLimits limits {};
  /* the first of the controller's own, in the order of its table */
  std::vector<double> parameters;
  /* The others are those of pspsink, and not the papers'; the receiver is pspsrc. */
  bool as_pspsink = false;
  /* Where to, and how fast the host's own interface is: it waits for that and
   * never fills a queue of its own. install_session fills both in. */
  ns3::Address to;
  ns3::DataRate interface_rate {0};
  /* Each packet's period is longer or shorter by up to this part, at random:
   * drop-tail queues otherwise lock into the phases of constant periods, and
   * these decide everything. The sender's clock is what varies, with the mean
   * kept; so the core sees the period it asked for. */
  double jitter = 0;
  bool ecn = false;             /* ECT(0) */
  uint32_t seed = 1;
  FlowMeter *meter = nullptr;
  /* Called with each notice, after the source. */
  std::function<void (ns3::Time, const PspNotice &)> notice;
};

class SenderApp : public ns3::Application
{
public:
  static ns3::TypeId GetTypeId ();
  SenderApp (const SenderConfig &config, ns3::Ptr<Source> source);
  ~SenderApp () override;

  /* Once it runs. */
  PspSender *Core () const { return m_sender; }
  PspSenderStats Stats () const;
  uint64_t FeedbackBytes () const { return m_feedback.bytes; }
  /* While it runs; `now` is the sender's own. */
  void SetLimits (const PspLimits &limits);
  /* The network changed, and the sender is told. */
  void Reset ();

protected:
  void DoDispose () override;

private:
  int64_t NextTick () const;
  std::vector<double> Parameters () const;
  void StartApplication () override;
  void StopApplication () override;
  int64_t Clock () const;
  ns3::Time When (int64_t clock) const;
  void Wander ();
  void Read (ns3::Ptr<ns3::Socket> socket);
  void Run ();
  ns3::Time SendAll ();
  void SendOne (uint32_t payload);
  void SendReports ();
  void TakeNotices ();

  SenderConfig m_config;
  ns3::Ptr<Source> m_source;
  ns3::Ptr<ns3::Socket> m_socket;
  ns3::Ptr<ns3::UniformRandomVariable> m_random;
  PspSender *m_sender = nullptr;
  PspSenderReports m_reports {};
  PspRtcpFeedback m_feedback {};
  int64_t m_ticked_at = 0;
  ns3::EventId m_event;
  ns3::Time m_interface_free;
  uint16_t m_seq = 0;           /* so that it tells the packet's index */
  /* The clock: clock_base at time_base, `slowness` ns of time to each of it. */
  int64_t m_clock_base = 0;
  ns3::Time m_time_base;
  double m_slowness = 1;
};

struct ReceiverConfig
{
  ns3::Time feedback_interval = ns3::MilliSeconds (25);
  uint32_t max_rtcp_size = 1200;
  uint32_t clock_rate = 0;
  uint32_t seed = 1;
  uint16_t port = 0;            /* install_session fills it in */
  bool ecn = false;
  bool as_pspsrc = false;       /* its least reports, and not the papers' */
  FlowMeter *meter = nullptr;
};

class ReceiverApp : public ns3::Application
{
public:
  static ns3::TypeId GetTypeId ();
  explicit ReceiverApp (const ReceiverConfig &config);
  ~ReceiverApp () override;

  PspReceiverStats Stats () const;

protected:
  void DoDispose () override;

private:
  void StartApplication () override;
  void StopApplication () override;
  void Read (ns3::Ptr<ns3::Socket> socket);
  void Take (ns3::Ptr<ns3::Packet> packet);
  uint64_t Index (uint16_t seq);
  void Run ();

  ReceiverConfig m_config;
  ns3::Ptr<ns3::Socket> m_socket;
  ns3::Address m_sender;
  PspReceiver *m_receiver = nullptr;
  ns3::EventId m_event;
  uint64_t m_next_index = 0;    /* of the packet after the latest */
};

struct Session
{
  ns3::Ptr<SenderApp> sender;
  ns3::Ptr<ReceiverApp> receiver;
};

/* Both halves on the flow's nodes; the addresses, the interface's rate, the
 * receiver's meter and ECN are filled in. The receiver runs from 0. */
Session install_session (const Topology &topology, unsigned flow,
    SenderConfig sender, ReceiverConfig receiver, ns3::Ptr<Source> source,
    ns3::Time start, ns3::Time stop = ns3::Time::Max ());

}

#endif
