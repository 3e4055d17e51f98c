package sample

import "testing"

func TestClamp(t *testing.T) {
	for x := range 5 {
		if Clamp(x, 3) != min(x, 3) {
			t.Fatal(x)
		}
	}
}

func TestSum(t *testing.T) {
	if Sum(4) != 6 {
		t.Fatal()
	}
}

func TestWait(t *testing.T) { Wait(1, 1) }

func TestGreet(t *testing.T) {
	if text, n := Greet("you"); text != "hello you" || n != 1<<40+4 {
		t.Fatal(text, n)
	}
}

func TestLow(t *testing.T) {
	if Low(6) != -2 {
		t.Fatal(Low(6))
	}
}

func TestWeak(t *testing.T) { Weak(4, 2) }

func TestBroken(t *testing.T) { t.Fatal("this test fails without a mutant") }
