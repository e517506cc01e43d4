// Renders the Helm chart's templates with Go's own template package and the few functions of Helm that the chart uses, so
// that a test needs Go but not Helm, which takes minutes to build. Reads JSON from standard input, writes the documents to
// standard output. Where Helm is installed, the test compares its objects with these.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"text/template"
)

type input struct {
	Values  map[string]any
	Release map[string]string
	Chart   map[string]string
	Files   map[string]string
}

func main() {
	var given input
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		fail(err)
	}
	chart := template.New("chart").Option("missingkey=zero")
	chart.Funcs(functions(chart))
	names := make([]string, 0, len(given.Files))
	for name, text := range given.Files {
		names = append(names, name)
		if _, err := chart.New(name).Parse(text); err != nil {
			fail(err)
		}
	}
	sort.Strings(names)
	scope := map[string]any{"Values": given.Values, "Release": given.Release, "Chart": given.Chart}
	for _, name := range names {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		fmt.Println("---")
		if err := chart.ExecuteTemplate(os.Stdout, name, scope); err != nil {
			fail(err)
		}
		fmt.Println()
	}
}

func functions(chart *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, scope any) (string, error) {
			var text strings.Builder
			err := chart.ExecuteTemplate(&text, name, scope)
			return text.String(), err
		},
		"default": func(fallback any, given ...any) any {
			if len(given) == 0 || isEmpty(given[0]) {
				return fallback
			}
			return given[0]
		},
		"required": func(message string, given any) (any, error) {
			if isEmpty(given) {
				return nil, errors.New(message)
			}
			return given, nil
		},
		"dict":  func() map[string]any { return map[string]any{} },
		"list":  func(items ...any) []any { return items },
		"quote": func(value any) string { return strconv.Quote(fmt.Sprint(value)) },
		"nindent": func(spaces int, text string) string {
			indent := "\n" + strings.Repeat(" ", spaces)
			return indent + strings.ReplaceAll(text, "\n", indent)
		},
		"toJson": func(value any) (string, error) {
			text, err := json.Marshal(value)
			return string(text), err
		},
		"sha256sum": func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) },
	}
}

func isEmpty(value any) bool {
	truth, ok := template.IsTrue(value)
	return !ok || !truth
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
