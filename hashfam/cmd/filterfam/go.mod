module github.com/filterfam/filterfam/hashfam/cmd/filterfam

go 1.25.0

require (
	github.com/filterfam/filterfam v0.0.0
	github.com/klauspost/compress v1.20.4
	github.com/schollz/progressbar/v3 v3.19.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	github.com/stretchr/testify v1.12.1
	github.com/xi2/xz v0.0.0-20171230120015-48954b6210f8
	pgregory.net/rapid v1.3.0
)

require (
	github.com/dchest/siphash v1.2.3 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.41.0 // indirect
	golang.org/x/term v0.40.0 // indirect
)

replace github.com/filterfam/filterfam => ../../..
