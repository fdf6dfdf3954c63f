-- A turn of minting looks at some of a project's finished tasks and the next one goes on from there: with a method whose experts
-- are frozen each is judged twice, and three hundred took two seconds of a connection.
set local role touchstone_owner;

alter table gold_refills add looked_before bigint, add looked integer not null default 0;
