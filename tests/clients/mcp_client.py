"""A real client at the MCP door: the official Python SDK (`mcp` on PyPI), in one revision of the protocol.

    mcp_client.py stdio MODE COMMAND ARG...      MODE: legacy (the handshake, 2025-11-25),
    auto (server/discover, 2026-07-28) or 2026-07-28 (no question asked first)
    mcp_client.py http MODE URL TOKEN

The SDK itself checks every structured result against the tool's output schema. Any difference ends
the program with an assertion.
"""

import asyncio
import base64
import json
import sys

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

MODES = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}


def value(result):
    assert not result.is_error, result.content
    envelope = result.structured_content
    assert envelope["schema"] == "loom-result/1.1" and envelope["status"] == "ok", envelope
    # The text says the same, for clients that only read text.
    assert json.loads(result.content[0].text) == envelope
    assert len(result.content[0].text) < 75_000
    return envelope["result"]["value"]


def refusal(result):
    assert result.is_error
    envelope = result.structured_content
    assert envelope["status"] == "error" and envelope["engineering"]["status"] == "unknown"
    assert envelope["result"] is None
    return envelope["error"]["message"]


async def session(client, mode):
    assert client.protocol_version == MODES[mode], client.protocol_version
    assert mode == "2026-07-28" or "cw.open" in client.instructions
    tools = (await client.list_tools()).tools
    assert len(tools) <= 14
    for tool in tools:
        assert tool.description and tool.output_schema and tool.annotations, tool.name
    again = (await client.list_tools()).tools
    assert [tool.name for tool in again] == [tool.name for tool in tools]

    heard = []

    async def progress(part, whole, word):
        heard.append(part)

    opened = value(await client.call_tool("cw.open", {"wait_seconds": 50}, progress_callback=progress))
    run = opened["run"]
    assert heard == sorted(heard)

    # A forgetful user: no run named, numbers as text, a name without its prefix.
    cells = value(await client.call_tool("cw_db", {"what": "Cells", "count": "40", "movable": True}))
    assert len(cells["items"]) == 40 and cells["next"] == 40
    cell = cells["items"][0]
    one = value(await client.call_tool("iDB", {"what": "cell", "name": cell["name"]}))
    assert one["items"][0]["id"] == cell["id"]

    for arguments, word in [
        ({"what": "nothing"}, "choose one of"),
        ({"wat": "cells"}, "there is no argument `wat`"),
        ({"what": "cell", "name": "no/such/cell"}, "no/such/cell"),
        ({"run": "run-77"}, run),
        ({"what": "cells", "count": 100000}, "at most"),
    ]:
        message = refusal(await client.call_tool("cw.db", arguments))
        assert word in message, message
    try:
        await client.call_tool("cw.nothing", {})
        raise SystemExit("an unknown tool is a protocol error")
    except MCPError as error:
        assert "cw.open" in str(error)

    # A change that cannot be, one that may be, several at once.
    off = {"moved_cells": [{"cell_id": cell["id"], "to": {"x": cell["at"][0] + 1, "y": cell["at"][1]}}]}
    tried = value(await client.call_tool("cw.evaluate", {"delta": off}))
    assert tried["passed"] is False and tried["results"][0]["not_passed"][0]["evidence"]
    sizes = value(await client.call_tool("cw.db", {"what": "variants", "name": cell["id"]}))
    deltas = [
        {"resized_cells": [{"cell_id": other["id"], "to_master": size["name"]}]}
        for other in cells["items"] if other["master"] == sizes["master"]
        for size in sizes["items"] if size["name"] != other["master"]
    ]
    assert deltas, sizes
    batch = value(await client.call_tool("cw.evaluate", {"deltas": json.dumps(deltas)}))
    assert len(batch["results"]) == len(deltas)
    refused = value(await client.call_tool("cw.commit", {"delta": off, "rationale": "to see it refused"}))
    assert refused["accepted"] is False and refused["head"] == "s0" and refused["certificate"] is None

    # A placement from scratch as a handle, judged for good; the certificate behind a link.
    placed = value(await client.call_tool("cw.place", {"seed": 2, "wait_seconds": 50}))
    result = await client.call_tool("cw.commit", {"delta": placed["delta"]})
    committed = value(result)
    assert committed["accepted"] and committed["head"] == "s1", committed
    assert result.structured_content["engineering"]["status"] == "pass"
    [link] = [block for block in result.content if block.type == "resource_link"]
    certificate = json.loads((await client.read_resource(link.uri)).contents[0].text)
    assert certificate["payloadType"] == "application/vnd.in-toto+json"

    timing = value(await client.call_tool("iSTA", {"count": 2}))
    assert timing["paths"] and timing["met"] == (timing["wns"] >= 0)
    before = value(await client.call_tool("cw.measure", {"snapshot": "s0"}))
    assert before["metrics"]["hpwl"] != value(await client.call_tool("cw.measure", {}))["metrics"]["hpwl"]

    picture = await client.call_tool("cw.picture", {"highlight": [cell["name"]], "width": 300})
    value(picture)
    [image] = [block for block in picture.content if block.type == "image"]
    assert base64.b64decode(image.data)[:8] == b"\x89PNG\r\n\x1a\n"

    # Long work comes back as a handle and can be cancelled.
    started = value(await client.call_tool("cw.optimize", {"seconds": 600, "proposals": 10**9, "wait_seconds": 0}))
    assert started["status"] == "working"
    value(await client.call_tool("cw.db", {}))
    ended = value(await client.call_tool("cw.task", {"task": started["task"], "action": "cancel", "wait_seconds": 30}))
    assert ended["status"] == "completed" and ended["result"]["cancelled"], ended

    # More than a reply holds is cut, and whole under an address.
    big = await client.call_tool("cw.db", {"what": "cells", "count": 500, "format": "detailed"})
    value(big)
    links = [block for block in big.content if block.type == "resource_link"]
    if links:
        whole = json.loads((await client.read_resource(links[0].uri)).contents[0].text)
        assert len(whole["items"]) > len(big.structured_content["result"]["value"]["items"])
    resources = (await client.list_resources()).resources
    assert any(str(resource.uri) == f"cellwright://{run}/journal" for resource in resources)

    closed = value(await client.call_tool("cw.close", {"run": run}))
    assert closed["status"] == "pass" and closed["accepted"] >= 2, closed
    print(closed["folder"])


async def main():
    door, mode, *rest = sys.argv[1:]
    if door == "stdio":
        async with Client(StdioServerParameters(command=rest[0], args=rest[1:]), mode=mode) as client:
            await session(client, mode)
    else:
        url, token = rest
        bearer = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=bearer, timeout=60) as http:
            async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
                await session(client, mode)


asyncio.run(main())
