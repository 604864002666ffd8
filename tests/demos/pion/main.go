// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 The gst-psp authors

// The receiving end of a WebRTC session, by pion: main twcc|rfc8888 FILE.
//
// Lines of JSON on the standard streams are its signalling, as in webrtc.py.
// When its input ends it writes to FILE what came.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"sync"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/rfc8888"
	"github.com/pion/interceptor/pkg/twcc"
	"github.com/pion/webrtc/v3"
)

// The default of both interceptors is twice as long.
const interval = 50 * time.Millisecond

const transportWide = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

// What came. Rates are those of RTP with its headers, of each second.
type report struct {
	sync.Mutex
	start    time.Time
	Packets  int    `json:"packets"`
	Pictures int    `json:"pictures"`
	Missing  int    `json:"missing"`
	Rates    []int  `json:"rates"`
	Codec    string `json:"codec"`
}

func (r *report) add(size int, marker bool, skipped int) {
	r.Lock()
	defer r.Unlock()
	if r.Packets == 0 {
		r.start = time.Now()
	}
	for int(time.Since(r.start)/time.Second) >= len(r.Rates) {
		r.Rates = append(r.Rates, 0)
	}
	r.Packets++
	r.Missing += skipped
	r.Rates[len(r.Rates)-1] += 8 * size
	if marker {
		r.Pictures++
	}
}

func (r *report) read(track *webrtc.TrackRemote) {
	r.Lock()
	r.Codec = track.Codec().MimeType
	r.Unlock()
	var next uint16
	for first := true; ; first = false {
		packet, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		// The link keeps the order.
		skipped := 0
		if !first {
			skipped = int(packet.SequenceNumber - next)
		}
		next = packet.SequenceNumber + 1
		r.add(packet.MarshalSize(), packet.Marker, skipped)
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// What answers: only one of the two, and receiver reports.
func feedback(kind string, media *webrtc.MediaEngine) *interceptor.Registry {
	registry := &interceptor.Registry{}
	must(webrtc.ConfigureRTCPReports(registry))
	if kind == "twcc" {
		media.RegisterFeedback(webrtc.RTCPFeedback{Type: webrtc.TypeRTCPFBTransportCC},
			webrtc.RTPCodecTypeVideo)
		must(media.RegisterHeaderExtension(webrtc.RTPHeaderExtensionCapability{URI: transportWide},
			webrtc.RTPCodecTypeVideo))
		factory, err := twcc.NewSenderInterceptor(twcc.SendInterval(interval))
		must(err)
		registry.Add(factory)
	} else {
		factory, err := rfc8888.NewSenderInterceptor(rfc8888.SendInterval(interval))
		must(err)
		registry.Add(factory)
	}
	return registry
}

func connect(kind string, came *report) *webrtc.PeerConnection {
	media := &webrtc.MediaEngine{}
	must(media.RegisterDefaultCodecs())
	registry := feedback(kind, media)
	api := webrtc.NewAPI(webrtc.WithMediaEngine(media), webrtc.WithInterceptorRegistry(registry))
	peer, err := api.NewPeerConnection(webrtc.Configuration{})
	must(err)
	peer.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { came.read(track) })
	return peer
}

// The answer has all candidates.
func answer(peer *webrtc.PeerConnection, offer string) {
	must(peer.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer}))
	gathered := webrtc.GatheringCompletePromise(peer)
	ours, err := peer.CreateAnswer(nil)
	must(err)
	must(peer.SetLocalDescription(ours))
	<-gathered
	must(json.NewEncoder(os.Stdout).Encode(map[string]string{"sdp": peer.LocalDescription().SDP}))
}

type message struct {
	SDP       string `json:"sdp"`
	Line      uint16 `json:"line"`
	Candidate string `json:"candidate"`
}

func main() {
	if len(os.Args) != 3 || (os.Args[1] != "twcc" && os.Args[1] != "rfc8888") {
		log.Fatal("usage: main twcc|rfc8888 FILE")
	}
	came := &report{}
	peer := connect(os.Args[1], came)
	var early []webrtc.ICECandidateInit // before the description
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var what message
		must(json.Unmarshal(lines.Bytes(), &what))
		if what.SDP != "" {
			answer(peer, what.SDP)
			for _, candidate := range early {
				must(peer.AddICECandidate(candidate))
			}
			continue
		}
		candidate := webrtc.ICECandidateInit{Candidate: what.Candidate, SDPMLineIndex: &what.Line}
		if peer.RemoteDescription() == nil {
			early = append(early, candidate)
		} else {
			must(peer.AddICECandidate(candidate))
		}
	}
	must(lines.Err())
	came.Lock()
	text, err := json.Marshal(came)
	came.Unlock()
	must(err)
	must(os.WriteFile(os.Args[2], text, 0o644))
	must(peer.Close())
}
