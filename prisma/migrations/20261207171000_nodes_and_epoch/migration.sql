-- What requests may read, analysts may: which epoch the streams are in, and which nodes live. Both are nobody's.
set local role touchstone_owner;

grant select on stream_epoch, session_nodes to touchstone_analyst;
