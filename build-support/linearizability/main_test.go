package main

import "testing"

func TestAnswersAreCompared(t *testing.T) {
	for _, each := range []struct {
		name string
		text string
		ok   bool
	}{
		{"empty", "true\n", true},
		{"in order", "true\nPUT,1,true,0,1\nGET,1,true,2,3\nREMOVE,0,true,4,5\n", true},
		{"at the same time", "true\nPUT,1,true,0,9\nGET,0,true,1,2\nGET,1,true,3,4\n", true},
		{"done late or never", "true\nGET,0,true,5,6\nGET,1,true,7,8\nPUT,1,true,0,-\nREMOVE,0,true,0,-\n", true},
		{"lost put", "true\nPUT,1,true,0,1\nGET,0,true,2,3\n", false},
		{"lost put, as the test says", "false\nPUT,1,true,0,1\nGET,0,true,2,3\n", true},
		{"two puts", "true\nPUT,1,true,0,9\nPUT,2,true,0,9\n", false},
		{"came back", "true\nPUT,1,true,0,1\nREMOVE,0,true,2,-\nGET,0,true,5,6\nGET,1,true,7,8\n", false},
		{"no answer", "maybe\n", false},
		{"fields", "true\nPUT,1,true,0\n", false},
		{"kind", "true\nPOP,1,true,0,1\n", false},
	} {
		if _, err := check(each.text); (err == nil) != each.ok {
			t.Errorf("%s: error %v", each.name, err)
		}
	}
}
