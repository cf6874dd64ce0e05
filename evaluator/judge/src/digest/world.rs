//! A world as a list of entities: its digest, and the difference between two.
//!
//! An entity has a type `pack.collection`, an id and data. Order of the input does not matter: the
//! canonical order is by type, then by the bytes of the id's canonical JSON.

use super::{Chain, DigestError, Domain, canonical};
use cellwright_contract::refs::Hex32;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One entity of a world.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// `pack.collection`.
    pub entity_type: String,
    /// Id, unique within the type.
    pub id: Value,
    /// Everything else.
    pub data: Value,
}

/// An entity's place in the canonical order.
type Key = (String, Vec<u8>);

fn keyed(world: &[Entity]) -> Result<Vec<(Key, &Entity)>, DigestError> {
    let keys = world.iter().map(|e| Ok(((e.entity_type.clone(), canonical(&e.id)?), e)));
    let mut keys: Vec<_> = keys.collect::<Result<_, DigestError>>()?;
    keys.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(keys)
}

/// Digest of a world.
///
/// # Errors
/// [`DigestError`] when an entity has no canonical form.
pub fn world_digest(world: &[Entity]) -> Result<Hex32, DigestError> {
    let mut chain = Chain::new(Domain::World);
    for (_, e) in keyed(world)? {
        chain.push(&json!({"entity_type": e.entity_type, "id": e.id, "data": e.data}))?;
    }
    Ok(chain.head())
}

/// What changed in one collection.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CollectionDiff {
    /// `{id, data}` of entities that are new.
    pub added: Vec<Value>,
    /// `{id, data}` of entities that are gone.
    pub removed: Vec<Value>,
    /// `{id, before, after}` of entities whose data differ.
    pub changed: Vec<Value>,
}

/// What changed in a world, by pack and collection.
pub type WorldDiff = BTreeMap<String, BTreeMap<String, CollectionDiff>>;

/// The difference between two worlds.
///
/// # Errors
/// [`DigestError`] when an entity has no canonical form.
pub fn world_diff(before: &[Entity], after: &[Entity]) -> Result<WorldDiff, DigestError> {
    let old: BTreeMap<Key, &Entity> = keyed(before)?.into_iter().collect();
    let new: BTreeMap<Key, &Entity> = keyed(after)?.into_iter().collect();
    let mut diff = WorldDiff::new();
    let slot = |diff: &mut WorldDiff, e: &Entity, fill: &dyn Fn(&mut CollectionDiff)| {
        let (pack, collection) = e.entity_type.split_once('.').unwrap_or((&e.entity_type, ""));
        let pack = diff.entry(pack.to_owned()).or_default();
        fill(pack.entry(collection.to_owned()).or_default());
    };
    for (key, e) in &new {
        match old.get(key) {
            None => slot(&mut diff, e, &|d| d.added.push(json!({"id": e.id, "data": e.data}))),
            Some(was) if canonical(&was.data)? != canonical(&e.data)? => {
                let change = json!({"id": e.id, "before": was.data, "after": e.data});
                slot(&mut diff, e, &|d| d.changed.push(change.clone()));
            }
            Some(_) => {}
        }
    }
    for (_, e) in old.iter().filter(|(key, _)| !new.contains_key(key)) {
        slot(&mut diff, e, &|d| d.removed.push(json!({"id": e.id, "data": e.data})));
    }
    Ok(diff)
}

/// What a difference says of the world after it: entities of `before` that it does not touch, those
/// that it adds, and those that it changes as they are after.
#[must_use]
pub fn apply_diff(before: &[Entity], diff: &WorldDiff) -> Vec<Entity> {
    let mut world: Vec<Entity> = before.to_vec();
    for (pack, collections) in diff {
        for (collection, changes) in collections {
            let entity_type =
                if collection.is_empty() { pack.clone() } else { format!("{pack}.{collection}") };
            let touched = changes.removed.iter().chain(&changes.changed).chain(&changes.added);
            let ids: Vec<&Value> = touched.map(|entity| &entity["id"]).collect();
            world.retain(|e| e.entity_type != entity_type || !ids.contains(&&e.id));
            let added = changes.added.iter().map(|entity| (&entity["id"], &entity["data"]));
            let changed = changes.changed.iter().map(|entity| (&entity["id"], &entity["after"]));
            world.extend(added.chain(changed).map(|(id, data)| Entity {
                entity_type: entity_type.clone(),
                id: id.clone(),
                data: data.clone(),
            }));
        }
    }
    world
}
