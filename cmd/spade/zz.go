package main

type doctorCommand struct{}
