module github.com/filterfam/filterfam/hashfam/cmd/filterfam

go 1.25.0

require (
	github.com/filterfam/filterfam v0.0.0
	github.com/klauspost/compress v1.20.4
	github.com/stretchr/testify v1.12.1
	github.com/xi2/xz v0.0.0-20171230120015-48954b6210f8
	pgregory.net/rapid v1.3.0
)

require (
	github.com/dchest/siphash v1.2.3 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/filterfam/filterfam => ../../..
