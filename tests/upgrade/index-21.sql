PRAGMA page_size=4096;
PRAGMA writable_schema=ON;
BEGIN TRANSACTION;
DROP TABLE IF EXISTS cancellations;
CREATE TABLE cancellations(change TEXT, place INTEGER, PRIMARY KEY(change, place)) WITHOUT ROWID;
DROP TABLE IF EXISTS changes;
CREATE TABLE changes(
  change TEXT NOT NULL, place INTEGER NOT NULL, at REAL NOT NULL, device TEXT NOT NULL,
  n INTEGER NOT NULL, op TEXT NOT NULL, entry TEXT NOT NULL, locator TEXT, before_hash TEXT,
  after_hash TEXT, agent TEXT NOT NULL, trust TEXT NOT NULL, undoes TEXT,
  reason TEXT NOT NULL, attested INTEGER NOT NULL, part_of TEXT
);
INSERT INTO changes VALUES('72tecmqj-1',0,1790000002.0,'72tecmqj',1,'save','01m3250vz800znr31k5y5h4fyj','Memory/fix/pooler-drops-prepared-statements.md',NULL,'bb397382f9e5a8bc9ae663343fa71e674eab1310864b5b9ded2d7e22907b2f9d','','operator',NULL,'',1,NULL);
INSERT INTO changes VALUES('72tecmqj-2',0,1790000004.0,'72tecmqj',2,'save','01m3250xxr00bsrfesyww1e4cd','Memory/decision/money-in-minor-units.md',NULL,'f7e110e73d7550ff30d2ac8345af6b2a77ba73cdcf46a012710fb2da39d393c4','','operator',NULL,'',1,NULL);
INSERT INTO changes VALUES('72tecmqj-3',0,1790000008.0,'72tecmqj',3,'edit','01m3250xxr00bsrfesyww1e4cd','Memory/decision/money-in-minor-units.md','f7e110e73d7550ff30d2ac8345af6b2a77ba73cdcf46a012710fb2da39d393c4','ab34530c432c315c7bec01064fc4d34e2b0288ee109dd2fdd68b2dc15b5eee69','','operator',NULL,'',1,NULL);
INSERT INTO changes VALUES('72tecmqj-4',0,1790000010.0,'72tecmqj',4,'save','01m32513s800v9z87h90zsb7fj','Memory/workflow/deploys.md',NULL,'1b02b924d6f457edc097bebbbe57484c306d63c1912baff9a37a041877dc2747','','operator',NULL,'',1,NULL);
INSERT INTO changes VALUES('72tecmqj-5',0,1790000012.0,'72tecmqj',5,'evolve','01m32513s800v9z87h90zsb7fj','Memory/_archive/workflow/deploys--90zsb7fj.md',NULL,'839f1eaab676f8a756f4584dcd1a47b08e085ba9dbbc4a97074bcf46c9aa3996','','operator',NULL,'',1,NULL);
INSERT INTO changes VALUES('72tecmqj-5',1,1790000012.0,'72tecmqj',5,'evolve','01m32515qr00hb236cvbnzk61r','Memory/workflow/deploys.md','1b02b924d6f457edc097bebbbe57484c306d63c1912baff9a37a041877dc2747','722fc1f1f00c6be4ea6dcd8c920ab82abe97f47ad232fa0291c3cf9223eff8f7','','operator',NULL,'',1,NULL);
INSERT INTO changes VALUES('72tecmqj-6',0,1790000014.0,'72tecmqj',6,'save','01m32517p800aj6jj2p966qv94','Memory/fix/slip.md',NULL,'88b492d1c8a49b4b75e0064d40c0e0c971792b6b0bc38d56bd0263c47b9816f1','','operator',NULL,'',1,NULL);
INSERT INTO changes VALUES('72tecmqj-7',0,1790000016.0,'72tecmqj',7,'forget','01m32517p800aj6jj2p966qv94','Memory/fix/slip.md','88b492d1c8a49b4b75e0064d40c0e0c971792b6b0bc38d56bd0263c47b9816f1','6c5529a12d84db365cfc9ba37574bf4427a02b07ffd79a87de32029e1843bc21','','operator',NULL,'',1,NULL);
INSERT INTO changes VALUES('72tecmqj-8',0,1790000021.0,'72tecmqj',8,'learn','01m3251dhr00arz8y5a0c30naz','Memory/entities/ann/items.json',NULL,'c599192eacc3ecc1d166e467054d9db2270ed8c5b96ef7d6fc8892b36c4ca3a3','','operator',NULL,'',1,NULL);
INSERT INTO changes VALUES('72tecmqj-8',1,1790000021.0,'72tecmqj',8,'learn','z0tb6r56z4e8425t9kggbc75q7','Memory/entities/ann/summary.md',NULL,'2335e27ddae63b46a62d16808b38bd3d0af55b69d4b1d7304aaf20cd4d0cfbe9','','operator',NULL,'',1,NULL);
INSERT INTO changes VALUES('72tecmqj-9',0,1790000023.0,'72tecmqj',9,'save','01m3251gfg00r7n45m0n10yxwy',NULL,NULL,NULL,'','operator',NULL,'',0,NULL);
INSERT INTO changes VALUES('72tecmqj-10',0,1790000026.0,'72tecmqj',10,'erasing','01m3251gfg00r7n45m0n10yxwy',NULL,NULL,NULL,'','operator',NULL,'',0,NULL);
INSERT INTO changes VALUES('72tecmqj-11',0,1790000027.0,'72tecmqj',11,'erase','01m3251gfg00r7n45m0n10yxwy','Memory/fix/erased-01m3251gfg00r7n45m0n10yxwy.md','6d4dfd0e09c6fee0a1f5dce6664d522e5104fac68988b40275a6d7b93a7a1d97','6d4dfd0e09c6fee0a1f5dce6664d522e5104fac68988b40275a6d7b93a7a1d97','','operator','72tecmqj-9 72tecmqj-10','',1,NULL);
INSERT INTO changes VALUES('72tecmqj-12',0,1790000030.0,'72tecmqj',12,'index','z02kkmgrtbxxtqzwap9f0zf0cz','Memory/entities/index.json',NULL,'8e14453099b85a8ec5d6f66e0658e6af14c0f75a43e943273e438077fa4b5f86','','operator',NULL,'',1,NULL);
CREATE INDEX changes_by_age ON changes(at DESC, device DESC, n DESC);
CREATE INDEX changes_by_device ON changes(device, n);
CREATE INDEX changes_by_entry ON changes(entry);
CREATE INDEX changes_by_locator ON changes(locator, after_hash);
CREATE INDEX changes_by_name ON changes(change);
CREATE INDEX changes_cancelled ON changes(change, place) WHERE op = 'cancelled';
CREATE INDEX changes_that_continue ON changes(part_of) WHERE part_of IS NOT NULL;
CREATE INDEX changes_that_erase ON changes(op) WHERE op IN ('erase', 'erasing');
CREATE INDEX changes_that_undo ON changes(undoes) WHERE undoes IS NOT NULL;
CREATE INDEX conclusions_by_entry ON changes(entry) WHERE op IN ('external', 'cancelled');
CREATE INDEX conclusions_by_locator ON changes(locator) WHERE op IN ('external', 'cancelled');
DROP TABLE IF EXISTS cursors;
CREATE TABLE cursors(device TEXT PRIMARY KEY, cursor TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO cursors VALUES('72tecmqj','1:11853:610e9f45');
DROP TABLE IF EXISTS entries;
CREATE TABLE entries(
  entry INTEGER PRIMARY KEY, is_primary INTEGER NOT NULL, replaced INTEGER NOT NULL,
  zone TEXT NOT NULL, status TEXT NOT NULL, project TEXT NOT NULL, kind TEXT NOT NULL,
  tier TEXT NOT NULL, created REAL, id TEXT NOT NULL, locator TEXT NOT NULL UNIQUE,
  folder TEXT NOT NULL, hash TEXT NOT NULL,
  stamp TEXT NOT NULL, settled INTEGER NOT NULL, slug TEXT NOT NULL, title TEXT NOT NULL,
  tags TEXT NOT NULL, trust TEXT NOT NULL, attested INTEGER NOT NULL,
  by_hand INTEGER NOT NULL, claims INTEGER NOT NULL, always_load INTEGER NOT NULL,
  updated REAL, valid_from REAL, valid_to REAL, weight REAL, confidence REAL,
  recall_count INTEGER NOT NULL, last_recalled REAL, sessions_since_recall INTEGER NOT NULL,
  imported INTEGER NOT NULL, tokens INTEGER NOT NULL
);
INSERT INTO entries VALUES(1,1,0,'live','active','main','fix','T3',1790000001.0,'01m3250vz800znr31k5y5h4fyj','Memory/fix/pooler-drops-prepared-statements.md','Memory/fix','bb397382f9e5a8bc9ae663343fa71e674eab1310864b5b9ded2d7e22907b2f9d','299:1796044345515241968:1796045637276121923:3138155',1,'pooler-drops-prepared-statements','Pooler drops prepared statements','postgres','operator',1,0,1,0,1790000001.0,NULL,NULL,NULL,NULL,0,NULL,0,0,16);
INSERT INTO entries VALUES(2,1,0,'live','active','main','decision','T3',1790000003.0,'01m3250xxr00bsrfesyww1e4cd','Memory/decision/money-in-minor-units.md','Memory/decision','ab34530c432c315c7bec01064fc4d34e2b0288ee109dd2fdd68b2dc15b5eee69','295:1796044345514914443:1796045637275259806:3138146',1,'money-in-minor-units','Money in minor units','','operator',1,0,1,0,1790000007.0,NULL,NULL,NULL,NULL,0,NULL,0,0,23);
INSERT INTO entries VALUES(3,1,0,'archive','superseded','main','workflow','T3',1790000009.0,'01m32513s800v9z87h90zsb7fj','Memory/_archive/workflow/deploys--90zsb7fj.md','Memory/_archive/workflow','839f1eaab676f8a756f4584dcd1a47b08e085ba9dbbc4a97074bcf46c9aa3996','213:1796044345514914443:1796045637275066990:3138144',1,'deploys--90zsb7fj','Deploys','','operator',1,0,1,0,1790000011.0,NULL,NULL,NULL,NULL,0,NULL,0,0,6);
INSERT INTO entries VALUES(4,1,0,'live','active','main','workflow','T3',1790000011.0,'01m32515qr00hb236cvbnzk61r','Memory/workflow/deploys.md','Memory/workflow','722fc1f1f00c6be4ea6dcd8c920ab82abe97f47ad232fa0291c3cf9223eff8f7','306:1796044345515241968:1796045637275427534:3138148',1,'deploys','Deploys','','operator',1,0,1,0,1790000011.0,NULL,NULL,NULL,NULL,0,NULL,0,0,6);
INSERT INTO entries VALUES(5,1,0,'live','deleted','main','fix','T3',1790000013.0,'01m32517p800aj6jj2p966qv94','Memory/fix/slip.md','Memory/fix','6c5529a12d84db365cfc9ba37574bf4427a02b07ffd79a87de32029e1843bc21','224:1796044345515241968:1796045637276187680:3138156',1,'slip','Slip','','operator',1,0,1,0,1790000015.0,NULL,NULL,NULL,NULL,0,NULL,0,0,6);
INSERT INTO entries VALUES(6,1,0,'live','active','','entity','T3',1790000019.0,'01m3251dhr00arz8y5a0c30naz','Memory/entities/ann/items.json','Memory/entities/ann','c599192eacc3ecc1d166e467054d9db2270ed8c5b96ef7d6fc8892b36c4ca3a3','783:1796044345515059828:1796045637275912533:3138152',1,'ann','Ann','','operator',1,0,2,0,1790000019.0,1790000017.0,NULL,NULL,NULL,0,NULL,0,0,7);
INSERT INTO entries VALUES(7,1,0,'live','deleted','','fix','T3',NULL,'01m3251gfg00r7n45m0n10yxwy','Memory/fix/erased-01m3251gfg00r7n45m0n10yxwy.md','Memory/fix','6d4dfd0e09c6fee0a1f5dce6664d522e5104fac68988b40275a6d7b93a7a1d97','84:1796044345515103463:1796045637276252687:3138157',1,'erased-01m3251gfg00r7n45m0n10yxwy','erased-01m3251gfg00r7n45m0n10yxwy','','external',0,1,1,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,0,21);
CREATE INDEX copies ON entries(locator) WHERE is_primary = 0;
CREATE INDEX entries_always_loaded ON entries(always_load, created DESC, id DESC)
  WHERE always_load = 1;
CREATE INDEX entries_by_age ON entries(created DESC, id DESC);
CREATE INDEX entries_by_folder ON entries(folder, locator, stamp, hash, settled);
CREATE INDEX entries_by_id ON entries(id);
CREATE INDEX entries_by_kind ON entries(kind, created DESC, id DESC);
CREATE INDEX entries_by_slug ON entries(slug);
CREATE INDEX entries_counted
  ON entries(zone, status, project, is_primary, replaced, kind, tier) WHERE entry > 0;
CREATE INDEX entries_known_by_age ON entries(created DESC, id DESC) WHERE imported <> 1;
CREATE INDEX entries_read_young ON entries(entry, locator) WHERE settled = 0;
CREATE INDEX entries_set_aside ON entries(entry, locator, stamp, hash)
  WHERE status <> 'active' AND zone = 'live';
CREATE INDEX unattested ON entries(tier) WHERE attested = 0;
DROP TABLE IF EXISTS "groups";
CREATE TABLE groups(name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "groups" VALUES('','4fa9d65e2cba1c7b-0');
INSERT INTO "groups" VALUES('Memory','4fa9d65e2cba1c7b-0');
INSERT INTO "groups" VALUES('Memory/_archive','4fa9d65e2cba1c7b-0');
INSERT INTO "groups" VALUES('Memory/_archive/workflow','-6ba0e615f317e730-a48e70ae');
INSERT INTO "groups" VALUES('Memory/decision','-5b0b99e82aaed118-4f48dd90');
INSERT INTO "groups" VALUES('Memory/entities','4fa9d65e2cba1c7b-0');
INSERT INTO "groups" VALUES('Memory/entities/ann','-54ca5610bb12b588-a85942bc');
INSERT INTO "groups" VALUES('Memory/fix','c5dbf647a320ac1-80057970');
INSERT INTO "groups" VALUES('Memory/workflow','-469d5ecd7d6eff4a-11815494');
DROP TABLE IF EXISTS links;
CREATE TABLE links(
  entry INTEGER, place INTEGER, target TEXT NOT NULL, key TEXT NOT NULL, relation TEXT NOT NULL,
  origin INTEGER NOT NULL, label TEXT NOT NULL, alt TEXT NOT NULL, heading TEXT NOT NULL,
  valid_from REAL, valid_to REAL, end INTEGER, rivals INTEGER NOT NULL, PRIMARY KEY(entry, place)
) WITHOUT ROWID;
INSERT INTO links VALUES(2,0,'Pooler drops prepared statements','pooler drops prepared statements','',0,'','','',NULL,NULL,1,0);
INSERT INTO links VALUES(4,0,'01m32513s800v9z87h90zsb7fj','01m32513s800v9z87h90zsb7fj','supersedes',3,'','','',NULL,NULL,3,0);
CREATE INDEX links_by_end ON links(end, entry, relation, origin, valid_from, valid_to)
  WHERE end IS NOT NULL;
CREATE INDEX links_by_key ON links(key, entry);
CREATE INDEX links_by_label ON links(alt, key, entry) WHERE alt <> '';
CREATE INDEX links_that_replace ON links(end, relation, entry) WHERE relation IN ('supersedes', 'superseded_by') AND origin <> 2;
CREATE INDEX links_with_rivals ON links(entry, place) WHERE rivals > 0;
CREATE INDEX links_without_end ON links(entry, place) WHERE end IS NULL;
DROP TABLE IF EXISTS marks;
CREATE TABLE marks(name TEXT PRIMARY KEY, mark TEXT NOT NULL, size INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO marks VALUES('','4096:1796044345514747746:1796045637276551840:3138140',0);
INSERT INTO marks VALUES('Memory','4096:1796044345515241968:1796045637276252687:3138141',0);
INSERT INTO marks VALUES('Memory/_archive','4096:1796044345514914443:1796045637275066990:3138142',0);
INSERT INTO marks VALUES('Memory/_archive/workflow','4096:1796044345514914443:1796045637275066990:3138143',1);
INSERT INTO marks VALUES('Memory/decision','4096:1796044345514914443:1796045637275259806:3138145',1);
INSERT INTO marks VALUES('Memory/entities','4096:1796044345515103463:1796045637275984239:3138149',0);
INSERT INTO marks VALUES('Memory/entities/ann','4096:1796044345515103463:1796045637275984239:3138151',1);
INSERT INTO marks VALUES('Memory/fix','4096:1796044345515241968:1796045637276252687:3138154',3);
INSERT INTO marks VALUES('Memory/workflow','4096:1796044345515241968:1796045637275427534:3138147',1);
DROP TABLE IF EXISTS meta;
CREATE TABLE meta(key TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('passages',7.0);
INSERT INTO meta VALUES('scanned_at',1796000004.0);
INSERT INTO meta VALUES('state',5.0);
DROP TABLE IF EXISTS names;
CREATE TABLE names(
  entry INTEGER, key TEXT, rank INTEGER NOT NULL, PRIMARY KEY(entry, key)
) WITHOUT ROWID;
INSERT INTO names VALUES(1,'01m3250vz800znr31k5y5h4fyj',0);
INSERT INTO names VALUES(2,'01m3250xxr00bsrfesyww1e4cd',0);
INSERT INTO names VALUES(3,'01m32513s800v9z87h90zsb7fj',0);
INSERT INTO names VALUES(4,'01m32515qr00hb236cvbnzk61r',0);
INSERT INTO names VALUES(5,'01m32517p800aj6jj2p966qv94',0);
INSERT INTO names VALUES(6,'01m3251dhr00arz8y5a0c30naz',0);
INSERT INTO names VALUES(7,'01m3251gfg00r7n45m0n10yxwy',0);
INSERT INTO names VALUES(6,'ann',1);
INSERT INTO names VALUES(3,'deploys',3);
INSERT INTO names VALUES(4,'deploys',0);
INSERT INTO names VALUES(3,'deploys--90zsb7fj',0);
INSERT INTO names VALUES(7,'erased-01m3251gfg00r7n45m0n10yxwy',0);
INSERT INTO names VALUES(6,'items.json',0);
INSERT INTO names VALUES(2,'money in minor units',3);
INSERT INTO names VALUES(2,'money-in-minor-units',0);
INSERT INTO names VALUES(1,'pooler drops prepared statements',3);
INSERT INTO names VALUES(1,'pooler-drops-prepared-statements',0);
INSERT INTO names VALUES(5,'slip',0);
CREATE INDEX names_by_key ON names(key, entry, rank);
DROP TABLE IF EXISTS passages;
CREATE TABLE passages(
  passage INTEGER PRIMARY KEY, entry INTEGER NOT NULL, thread INTEGER, place INTEGER NOT NULL,
  asks INTEGER NOT NULL, key INTEGER NOT NULL, speaker TEXT NOT NULL, start INTEGER NOT NULL,
  end INTEGER NOT NULL, heading TEXT NOT NULL, whole INTEGER NOT NULL,
  twin INTEGER NOT NULL
);
INSERT INTO passages VALUES(1,1,NULL,0,0,-5546470989296219334,'',0,71,'',72,0);
INSERT INTO passages VALUES(2,2,NULL,0,0,7565596198941709261,'',0,91,'',92,0);
INSERT INTO passages VALUES(3,3,NULL,0,0,-6388364236773663740,'',0,18,'',19,0);
INSERT INTO passages VALUES(4,4,NULL,0,0,9027847084672618693,'',0,19,'',20,0);
INSERT INTO passages VALUES(5,5,NULL,0,0,2130137222083186169,'',0,7,'',8,0);
INSERT INTO passages VALUES(6,6,NULL,0,0,-9120257661297528669,'',0,26,'',27,0);
INSERT INTO passages VALUES(7,7,NULL,0,0,8762520039964501152,'',0,0,'',0,0);
CREATE INDEX passages_by_entry ON passages(entry);
CREATE INDEX passages_by_key ON passages(key);
CREATE INDEX passages_by_place ON passages(thread, place, passage) WHERE thread IS NOT NULL;
CREATE INDEX passages_by_speaker ON passages(speaker) WHERE speaker <> '';
CREATE INDEX passages_by_twin ON passages(twin) WHERE twin <> 0;
DROP TABLE IF EXISTS problems;
CREATE TABLE problems(
  locator TEXT, place INTEGER, reason TEXT NOT NULL, message TEXT NOT NULL, line INTEGER NOT NULL,
  stamp TEXT NOT NULL, settled INTEGER NOT NULL, fatal INTEGER NOT NULL, folder TEXT NOT NULL,
  PRIMARY KEY(locator, place)
) WITHOUT ROWID;
CREATE INDEX problems_by_folder ON problems(folder);
DROP TABLE IF EXISTS sources;
CREATE TABLE sources(entry INTEGER, source TEXT, PRIMARY KEY(entry, source)) WITHOUT ROWID;
CREATE INDEX sources_by_source ON sources(source, entry);
DROP TABLE IF EXISTS successions;
CREATE TABLE successions(
  older INTEGER, newer INTEGER, counts INTEGER NOT NULL, PRIMARY KEY(older, newer)
) WITHOUT ROWID;
INSERT INTO successions VALUES(3,4,3);
DROP TABLE IF EXISTS tags;
CREATE TABLE tags(entry INTEGER, tag TEXT, PRIMARY KEY(entry, tag)) WITHOUT ROWID;
INSERT INTO tags VALUES(1,'postgres');
CREATE INDEX tags_by_tag ON tags(tag, entry);
DELETE FROM sqlite_schema WHERE name='texts' AND type='table';
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql) VALUES('table','texts','texts',0,'CREATE VIRTUAL TABLE texts USING fts5(
  title, tags, body, content='''', contentless_delete=1,
  tokenize="porter unicode61 remove_diacritics 2 categories ''L* N* M* Co''"
)');
DROP TABLE IF EXISTS texts_config;
CREATE TABLE 'texts_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO texts_config VALUES('hashsize',1048576);
INSERT INTO texts_config VALUES('version',4);
DROP TABLE IF EXISTS texts_data;
CREATE TABLE 'texts_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO texts_data VALUES(1,X'070E102D');
INSERT INTO texts_data VALUES(10,X'00000002FF00000101010100010101010101000007');
INSERT INTO texts_data VALUES(137438953473,X'0000023E1B3030316D33323531676667303072376E34356D306E313079787769070803010103020139070601020401023133070601020601043230323607060102030204317431340706010205010334357A0706010207010839307A736237666A030601010301016101060102040406010202020466746572010601020602026E6E060E02010102010202020173020601020502017406060102040106626568696E64010601020901066465706C6F69030E02010102010202010E020101020102020203726F70010803010104010601020D010465726173070E0201010201020201046661696C010601020D020369766501060102070107686172626F757206060102060102696E02080301010303037465670206010206020173020601020301056D696E6F7202080401010402056F6E646169030601020404026569020E0201010201020201026F66020601020702016E030601020301060102030106706F6F6C6572010E0201010301020B010601020C030473746772010601010202057265706172010E04010105010203010601020E02067379636F70670106010202010571756572690106010205010372756E01060102080103736565020601020B02036C6970050E0201010201020302076D616C6C65737402060102090208746174656D656E74010805010106010601020F03036F72650206010204010474686174010601020C030165010601020A01060102080406010205020675657364616904060102040104756E6974020E0501010501020A0104776F726B0606010203042208090B0B0A0F0D0B0D08080D1A100F0B0A0E0A0A080D0C0D090D160B150D0C0A0A0E0E150A0B120D0F');
DROP TABLE IF EXISTS texts_docsize;
CREATE TABLE 'texts_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);
INSERT INTO texts_docsize VALUES(1,X'04050C',1);
INSERT INTO texts_docsize VALUES(2,X'04040E',1);
INSERT INTO texts_docsize VALUES(3,X'010203',1);
INSERT INTO texts_docsize VALUES(4,X'010103',1);
INSERT INTO texts_docsize VALUES(5,X'010102',1);
INSERT INTO texts_docsize VALUES(6,X'010105',1);
INSERT INTO texts_docsize VALUES(7,X'020206',1);
DROP TABLE IF EXISTS texts_idx;
CREATE TABLE 'texts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO texts_idx VALUES(1,X'',2);
DROP TABLE IF EXISTS threads;
CREATE TABLE threads(thread INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
pragma user_version=21;
COMMIT TRANSACTION;
PRAGMA writable_schema=OFF;
BEGIN;
CREATE TABLE no_such_table(x,y,z);
ROLLBACK;
