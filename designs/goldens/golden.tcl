# Times one golden design with OpenSTA. The environment names the bundle's folder and the design.
set dir $::env(GOLDEN_DIR)
set name $::env(GOLDEN_NAME)
read_liberty $dir/cw45_typ.lib
read_verilog $dir/$name.v
link_design $name
read_sdc $dir/$name.sdc
if {[file exists $dir/$name.spef]} {
  read_spef $dir/$name.spef
}
puts "@wns"
report_wns -digits 9
puts "@tns"
report_tns -digits 9
puts "@worst"
report_worst_slack -digits 9
puts "@setup"
report_checks -path_delay max -format end -group_count 1000000 -digits 9 -no_line_splits
puts "@hold"
report_checks -path_delay min -format end -group_count 1000000 -digits 9 -no_line_splits
puts "@end"
