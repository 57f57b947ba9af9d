package votable_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/helios-go/helios/helio/votable"
)

func ExampleRead() {
	f, err := votable.Read(strings.NewReader(`<VOTABLE><RESOURCE><TABLE name="shocks">
<FIELD name="start" datatype="char" arraysize="*"/><FIELD name="mach" datatype="double"/>
<DATA><TABLEDATA><TR><TD>2015-03-17T04:00:59</TD><TD>2.5</TD></TR></TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>`))
	if err != nil {
		panic(err)
	}
	table := f.Tables[0]
	mach, _ := table.Column("mach")
	fmt.Println(table.Name, len(table.Rows), table.Rows[0][mach])
	// Output: shocks 1 2.5
}

func ExampleFile_Write() {
	f := votable.File{Tables: []votable.Table{{
		Name:   "shocks",
		Fields: []votable.Field{{Name: "mach", Datatype: "double"}},
		Rows:   [][]string{{"2.5"}},
	}}}
	if err := f.Write(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// <?xml version="1.0" encoding="UTF-8"?>
	// <VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">
	//   <RESOURCE type="results">
	//     <TABLE name="shocks">
	//       <FIELD name="mach" datatype="double"/>
	//       <DATA><TABLEDATA>
	// <TR><TD>2.5</TD></TR>
	//       </TABLEDATA></DATA>
	//     </TABLE>
	//   </RESOURCE>
	// </VOTABLE>
}
