-- Parts ordered from the dealer.
create table part_order (
  order_id varchar(40) not null primary key,
  part_no varchar(20) not null references part (part_no),
  amount bigint not null,
  due date not null
);
