"""Prints the answer of a query of TPC-H as DuckDB gives it, a row a line, in the form of the programs for Flink.

usage: answers.py FOLDER QUERY, where FOLDER has the files of tpchgen-cli. Money is in cents; discounts and taxes are in percent.
"""

import sys

import duckdb

# Columns in the order of the files. Each line ends with a bar, which makes one column more.
TABLES = {
    "lineitem": "orderkey bigint, partkey bigint, suppkey bigint, number int, quantity int, price decimal(15,2),"
    " discount decimal(15,2), tax decimal(15,2), returnflag text, linestatus text, shipped date, committed date,"
    " received date, instruction text, mode text, comment text",
    "orders": "orderkey bigint, custkey bigint, status text, total decimal(15,2), ordered date, priority text,"
    " clerk text, shippriority int, comment text",
    "customer": "custkey bigint, name text, address text, nationkey int, phone text, balance decimal(15,2),"
    " segment text, comment text",
    "supplier": "suppkey bigint, name text, address text, nationkey int, phone text, balance decimal(15,2),"
    " comment text",
    "partsupp": "partkey bigint, suppkey bigint, available int, cost decimal(15,2), comment text",
    "nation": "nationkey int, name text, regionkey int, comment text",
    "region": "regionkey int, name text, comment text",
}

REVENUE = "sum((price * 100)::bigint * (100 - (discount * 100)::bigint))"


def pricing(days):
    return f"""
        select returnflag || '|' || linestatus, sum(quantity), sum((price * 100)::bigint), {REVENUE},
            sum((price * 100)::bigint * (100 - (discount * 100)::bigint) * (100 + (tax * 100)::bigint)),
            sum((discount * 100)::bigint), count(*)
        from lineitem where shipped <= date '1998-12-01' - interval {days} day group by returnflag, linestatus"""


def priority(condition):
    return f"""
        select orderkey, {REVENUE} as revenue, ordered, shippriority, segment
        from customer join orders using (custkey) join lineitem using (orderkey)
        where ordered < date '1995-03-15' and shipped > date '1995-03-15' and {condition}
        group by orderkey, ordered, shippriority, segment"""


def returned(first, behind):
    return f"""
        select custkey, customer.name, {REVENUE} as revenue, (balance * 100)::bigint, nation.name, address, phone,
            customer.comment
        from customer join orders using (custkey) join lineitem using (orderkey) join nation using (nationkey)
        where ordered >= date '{first}' and ordered < date '{behind}' and returnflag = 'R' group by all"""


def first(limit, query):
    """With the rank in front."""
    return f"""
        select row_number() over (order by revenue desc) as rank, * from ({query}) order by rank limit {limit}"""


QUERIES = {
    "QA": pricing(120),
    "QB": """
        select region.name, partkey, (cost * 100)::bigint, supplier.name
        from partsupp join supplier using (suppkey) join nation using (nationkey) join region using (regionkey)
        qualify row_number() over (partition by regionkey, partkey order by cost, suppkey) = 1""",
    "QC": priority("true"),
    "QD": """
        select quarter(ordered), count(*) from orders
        where year(ordered) = 1993 and orderkey in (select orderkey from lineitem where committed < received)
        group by 1""",
    "QE": returned("1992-01-01", "1998-12-01"),
    "Q1": pricing(90),
    "Q3": first(10, priority("segment = 'BUILDING'")),
    "Q6": """
        select sum((price * 100)::bigint * (discount * 100)::bigint) from lineitem
        where year(shipped) = 1994 and discount between 0.05 and 0.07 and quantity < 24""",
    "Q10": first(20, returned("1993-10-01", "1994-01-01")),
}


def main():
    folder, name = sys.argv[1:]
    database = duckdb.connect()
    for table, columns in TABLES.items():
        if table in QUERIES[name]:
            database.execute(f"create table {table} ({columns}, ending text)")
            database.execute(f"copy {table} from '{folder}/{table}.tbl' (delimiter '|', header false)")
            database.execute(f"alter table {table} drop ending")
    for row in database.execute(QUERIES[name]).fetchall():
        print("|".join(str(value) for value in row))


if __name__ == "__main__":
    main()
