package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// IsValid takes the raw request body and the value of X-Service-Signature.
func IsValid(body []byte, header, secret string) bool {
	timestamp, signatures := "", []string{}
	for _, item := range strings.Split(header, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		if key == "t" {
			timestamp = value
		} else if key == "v1" {
			signatures = append(signatures, value)
		}
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	expected := hex.EncodeToString(mac.Sum(nil))
	valid := false
	for _, signature := range signatures {
		valid = valid || hmac.Equal([]byte(signature), []byte(expected))
	}
	return valid
}
