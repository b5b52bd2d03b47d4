// A reader with nats.go at its defaults: publishes each line of standard input until the broker acknowledges it.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

func main() {
	nc, err := nats.Connect(os.Args[1], nats.UserInfo(os.Args[2], os.Args[3]))
	if err != nil {
		fmt.Println("closed:", err)
		return
	}
	js, _ := nc.JetStream()
	fmt.Println("connected")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		subject, body, _ := strings.Cut(lines.Text(), "\t")
		for {
			if _, err = js.Publish(subject, []byte(body)); err == nil {
				break
			}
			if nc.IsClosed() {
				fmt.Println("closed:", err)
				return
			}
			time.Sleep(200 * time.Millisecond)
		}
		fmt.Println("stored")
	}
}
