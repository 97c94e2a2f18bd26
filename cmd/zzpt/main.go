package main

import ("context";"io";"os";"fmt";"strconv")
type console struct{ in io.Reader; out, err io.Writer }
func main(){ n,_:=strconv.ParseInt(os.Args[2],10,64); c:=pretrainCommand{Out:os.Args[1],Seed:1,Tokens:n}; if err:=c.Run(context.Background(),console{nil,os.Stdout,os.Stderr}); err!=nil{fmt.Println(err);os.Exit(1)} }
