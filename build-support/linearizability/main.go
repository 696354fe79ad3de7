// Checks with Porcupine whether histories of keys are linearizable, and compares the answers with those of the tests that recorded them.
//
// Each file in the folder that is the argument is the history of one key. Its first line is the answer of the test, "true" or "false". Each further
// line is an operation: kind (PUT, GET, REMOVE), value (0: none), success (true, false), begin and end in nanoseconds. The end is "-" if nobody
// knows whether the operation was done: then it was done at any time after its begin, or never.
package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// mostTime is how long the search for one key may take.
const mostTime = 2 * time.Minute

type operation struct {
	kind    string
	value   int
	success bool
	known   bool
}

// after returns the value of the key after an operation, and whether its answer is possible with the value before it.
func (o operation) after(before int) (bool, int) {
	possible := before != 0
	after := 0
	switch o.kind {
	case "GET":
		return before == o.value, before
	case "PUT":
		possible = before == 0
		after = before
		if possible {
			after = o.value
		}
	}
	return !o.known || o.success == possible, after
}

var model = porcupine.Model{
	Init: func() interface{} { return 0 },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		possible, after := input.(operation).after(state.(int))
		return possible, after
	},
}

func parse(line string) (porcupine.Operation, error) {
	fields := strings.Split(line, ",")
	if len(fields) != 5 {
		return porcupine.Operation{}, fmt.Errorf("'%s' has %d fields, expected 5", line, len(fields))
	}
	kind := fields[0]
	if kind != "PUT" && kind != "GET" && kind != "REMOVE" {
		return porcupine.Operation{}, fmt.Errorf("'%s' has the kind %s, expected PUT, GET or REMOVE", line, kind)
	}
	value, err := strconv.Atoi(fields[1])
	if err != nil {
		return porcupine.Operation{}, err
	}
	begin, err := strconv.ParseInt(fields[3], 10, 64)
	if err != nil {
		return porcupine.Operation{}, err
	}
	known := fields[4] != "-"
	end := int64(math.MaxInt64)
	if known {
		if end, err = strconv.ParseInt(fields[4], 10, 64); err != nil {
			return porcupine.Operation{}, err
		}
	}
	input := operation{kind: kind, value: value, success: fields[2] == "true", known: known}
	return porcupine.Operation{Input: input, Call: begin, Return: end}, nil
}

// check returns the number of operations in a text, an error if the answers differ.
func check(text string) (int, error) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if lines[0] != "true" && lines[0] != "false" {
		return 0, fmt.Errorf("the first line is '%s', expected true or false", lines[0])
	}
	var history []porcupine.Operation
	for _, line := range lines[1:] {
		next, err := parse(line)
		if err != nil {
			return 0, err
		}
		history = append(history, next)
	}
	result := porcupine.CheckOperationsTimeout(model, history, mostTime)
	if result == porcupine.Unknown {
		return 0, fmt.Errorf("no answer in %s", mostTime)
	}
	if linearizable := result == porcupine.Ok; strconv.FormatBool(linearizable) != lines[0] {
		return 0, fmt.Errorf("linearizable: %t, but the test says %s", linearizable, lines[0])
	}
	return len(history), nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: linearizability FOLDER")
		os.Exit(2)
	}
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*.csv"))
	if err != nil || len(files) == 0 {
		fmt.Fprintf(os.Stderr, "no histories in %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
	operations, violations, failed := 0, 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			var count int
			count, err = check(string(text))
			operations += count
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", file, err)
			failed++
		} else if strings.HasPrefix(string(text), "false") {
			violations++
		}
	}
	fmt.Printf("%d histories with %d operations, %d of them wrong on purpose; %d answers differ\n", len(files), operations, violations, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
