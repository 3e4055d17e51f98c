package failing

import "testing"

func TestSum(t *testing.T) {
	if Sum(1, 2) != 4 {
		t.Fatal("this test fails without a mutant")
	}
}
