// Receives signed postbacks: PORT=9000 WEBHOOK_SECRET=whsec_… go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const tolerance = 5 * time.Minute
const maxBodyBytes = 1024 * 1024

var key, keyError = base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))

// Replace both with a unique column in your database, written in the transaction that stores the message.
var handled = map[string]bool{}
var lock sync.Mutex

// handle is the place for your code. After an error, the message is sent again. So add the id last.
func handle(id string, body []byte) error {
	lock.Lock()
	defer lock.Unlock()
	if handled[id] {
		return nil
	}
	var message struct{ Subtopic string }
	if err := json.Unmarshal(body, &message); err != nil {
		return err
	}
	fmt.Println("received", id, message.Subtopic)
	handled[id] = true
	return nil
}

// isGenuine says whether one of the signatures is that of the body, and the request is recent.
func isGenuine(id, timestamp, signatures string, body []byte) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, each := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(each), []byte(expected)) {
			return true
		}
	}
	return false
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBodyBytes))
	if err != nil {
		http.Error(response, "too large or incomplete", http.StatusRequestEntityTooLarge)
		return
	}
	id := request.Header.Get("webhook-id")
	if !isGenuine(id, request.Header.Get("webhook-timestamp"), request.Header.Get("webhook-signature"), body) {
		http.Error(response, "wrong signature", http.StatusUnauthorized)
		return
	}
	if request.Header.Get("webhook-test") == "true" {
		// Its data is made up.
		fmt.Println("test", id)
	} else if err := handle(id, body); err != nil {
		fmt.Fprintln(os.Stderr, err)
		http.Error(response, "failed", http.StatusInternalServerError)
		return
	}
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	// With an empty key, anyone could sign.
	if keyError != nil || len(key) == 0 {
		panic("Set WEBHOOK_SECRET to the signing secret of the webhook.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "9000"
	}
	// A sender that does not finish its request is disconnected.
	server := http.Server{
		Addr: "127.0.0.1:" + port, Handler: http.HandlerFunc(receive), ReadTimeout: 10 * time.Second,
	}
	panic(server.ListenAndServe())
}
