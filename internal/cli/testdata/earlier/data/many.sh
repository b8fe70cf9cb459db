mkdir many
awk 'NR > 1 { f = sprintf("many/%02d.csv", (NR - 2) / 4); if ((NR - 2) % 4 == 0) print "customer,number,item,pieces" > f; print > f }' orders.csv
