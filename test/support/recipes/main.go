// Calls every recipe in Go and prints one line of results.
package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
)

const id = "recipe-go"

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func refusal(err error) string {
	var refused *ApiError
	switch {
	case err == nil:
		return "accepted"
	case errors.As(err, &refused):
		return refused.Code
	case errors.Is(err, ErrSession):
		return "refused"
	}
	panic(err)
}

func main() {
	audience := os.Getenv("AUDIENCE")
	token := must(GetOrCreate(id, "Acme", map[string]any{"region": "EU"})).Token
	name := must(Update(id, map[string]any{"name": "Acme Inc."})).Name
	session := must(CreateEmbedSession(id, map[string]any{"role": "viewer"}))
	keys := must(LoadKeys())
	role := must(VerifySession(session, keys, audience)).Variables["role"]
	_, forged := VerifySession(session[:len(session)-4]+"AAAA", keys, audience)
	_, foreign := VerifySession(session, keys, "other/Customer")
	rotated := must(Rotate(token, "rotate "+id)).Token
	repeated := must(Rotate(token, "rotate "+id)).Token
	must(0, Delete(rotated))
	gone := refusal(Delete(rotated))
	headers := http.Header{}
	headers.Set("webhook-id", os.Getenv("WEBHOOK_ID"))
	headers.Set("webhook-timestamp", os.Getenv("WEBHOOK_TIMESTAMP"))
	headers.Set("webhook-signature", os.Getenv("WEBHOOK_SIGNATURE"))
	body, secret := os.Getenv("WEBHOOK_BODY"), os.Getenv("WEBHOOK_SECRET")
	fmt.Printf("%s|%s|%s|%s|%s|%t|%t|%t|%t\n", name, role, refusal(forged), refusal(foreign), gone, rotated != token && rotated == repeated,
		IsGenuine([]byte(body), headers, secret), IsGenuine([]byte(body+" "), headers, secret),
		IsGenuine([]byte(body), http.Header{}, secret))
}
